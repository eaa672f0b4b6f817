# SPDX-License-Identifier: Apache-2.0
"""Operators that do not come with cannery: those of the project around the current folder, and
those of installed packages that `cannery new` made.
"""

from __future__ import annotations

import contextlib
import difflib
import functools
import importlib
import importlib.metadata
import importlib.util
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from cannery.errors import CanneryError
from cannery.opgen.model import Operator

__all__ = ["Package", "here", "installed", "no_exit", "root", "unknown"]

#: The group of entry points in which packages of operators register their names.
GROUP = "cannery.operators"


@dataclass(frozen=True)
class Package:
    """A Python package with operators, or a project of msopgen, which has no Python package."""

    name: str
    models: tuple[Operator, ...]
    folder: Path | None  #: folder to add to sys.path before the import; None if not needed
    has_python: bool = True

    def module(self) -> ModuleType:
        """Imports and returns the Python package; raises CanneryError if the import fails."""
        if self.folder is not None and str(self.folder) not in sys.path:
            sys.path.insert(0, str(self.folder))
        return _imported(self.name)

    def cases(self, op: str) -> ModuleType | None:
        """Returns the module cases.<op> of the package; None if the package has no such module.
        The module describes the inputs that the operator needs.
        """
        folders = [] if self.folder is None else [self.folder / self.name]
        if not self.has_python:
            return None
        places = folders or list(map(Path, self.module().__path__))
        if not any((place / "cases" / f"{op}.py").is_file() for place in places):
            return None
        self.module()
        return _imported(f"{self.name}.cases.{op}")


def _imported(name: str) -> ModuleType:
    try:
        with no_exit(name):
            return importlib.import_module(name)
    except CanneryError:
        raise
    except Exception as error:
        raise CanneryError(
            f"{name}: cannot be imported: {type(error).__name__}: {error}"
        ) from error


@contextlib.contextmanager
def no_exit(name: str) -> Iterator[None]:
    """For a `with` block that runs code of a project. Raises CanneryError if this code calls
    sys.exit. Otherwise sys.exit(0) would end the command with the exit status of a success.
    """
    try:
        yield
    except SystemExit as error:
        code = "" if error.code is None else repr(error.code)
        raise CanneryError(
            f"{name}: calls sys.exit({code}), which would end the command without a result\n"
            "  try: raise an exception instead"
        ) from error


def root(start: Path | None = None) -> Path | None:
    """Returns the folder of the project that `start` belongs to; the default is the current folder.
    Returns None outside of projects and in cannery's own checkout.
    """
    start = start or Path.cwd()
    for folder in (start, *start.parents):
        patterns = ("op_proto/*.toml", "op_host/*.cpp")
        if any(any(folder.glob(sources)) for sources in patterns) or calls_npu_op(folder):
            return None if (folder / "python/cannery/ops/__init__.py").is_file() else folder
    return None


def calls_npu_op(folder: Path) -> bool:
    """Returns whether the CMakeLists.txt of a folder makes a package of operators with the
    toolkit's functions npu_op_*.
    """
    try:
        text = (folder / "CMakeLists.txt").read_text("utf-8", "replace")
    except OSError:
        return False
    return re.search(r"^\s*npu_op_package\s*\(", text, re.MULTILINE) is not None


def here(start: Path | None = None) -> Package | None:
    """Returns the `Package` of the project in the folder `root(start)`; None without a project."""
    folder = root(start)
    if folder is None:
        return None
    if not any(folder.glob("op_proto/*.toml")):
        return _made_by_msopgen(folder)
    names = [path.parents[1].name for path in folder.glob("python/*/ops/__init__.py")]
    return _project(folder, names[0]) if len(names) == 1 else None


@functools.cache
def _project(folder: Path, name: str) -> Package:
    from cannery.opgen.build import build
    from cannery.opgen.loader import PrototypeError, load_prototypes

    try:
        loaded = load_prototypes(folder / "op_proto")
    except PrototypeError as error:
        raise CanneryError(str(error)) from None
    models = tuple(build(source, proto) for source, proto in loaded)
    return Package(name, models, folder / "python")


def _made_by_msopgen(folder: Path) -> Package | None:
    """Returns the operators that `cannery build` has read from the definitions of the project."""
    models = _models(folder / "build/opp/vendors", "*")
    return Package(folder.name, models, None, has_python=False) if models else None


def unknown(op: str, known: Iterable[str], argument: str = "OP") -> ValueError:
    """Returns the error for an argument that is not the name of an operator. It suggests the most
    similar name, or else lists all names.
    """
    names = {_spelling(each): each for each in known}
    near = difflib.get_close_matches(_spelling(op), names, n=1, cutoff=0.7)
    if near:
        return ValueError(f"{argument}: no operator {op!r}; did you mean {names[near[0]]}?")
    return ValueError(
        f"{argument}: expected one of {', '.join(names.values())}, got {op!r}; those of a "
        "project are known in its folder once `cannery build` has run"
    )


def _spelling(name: str) -> str:
    """Returns a form that the type and the name of an operator share: SwiGluGrad, swi_glu_grad."""
    return name.replace("_", "").lower()


@functools.cache
def installed() -> tuple[Package, ...]:
    """Returns the installed packages with operators, sorted by name, except those that are
    registered but have no folder.
    """
    found = []
    for name in sorted({entry.value for entry in importlib.metadata.entry_points(group=GROUP)}):
        spec = importlib.util.find_spec(name)
        places = spec.submodule_search_locations if spec else None
        if places:
            found.append(Package(name, _models(Path(places[0]) / "_opp/vendors", name), None))
    return tuple(found)


def _models(vendors: Path, vendor: str) -> tuple[Operator, ...]:
    paths = sorted(vendors.glob(f"{vendor}/cannery/proto/*.json"))
    return tuple(Operator.from_json(path.read_text("utf-8")) for path in paths)
