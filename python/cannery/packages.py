# SPDX-License-Identifier: Apache-2.0
"""Operators of others: those of the project around the current folder, and those of installed
packages that `cannery new` began.
"""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
import importlib.util
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from cannery.errors import CanneryError
from cannery.opgen.model import Operator

__all__ = ["Package", "here", "installed", "unknown"]

#: Where packages of operators say their names.
GROUP = "cannery.operators"


@dataclass(frozen=True)
class Package:
    """A Python package, or a project that msopgen made, which has none."""

    name: str
    models: tuple[Operator, ...]
    folder: Path | None  #: that `import` must search; None: it does anyway
    has_python: bool = True

    def module(self) -> ModuleType:
        """The package itself; CanneryError when it cannot be imported."""
        if self.folder is not None and str(self.folder) not in sys.path:
            sys.path.insert(0, str(self.folder))
        try:
            return importlib.import_module(self.name)
        except CanneryError:
            raise
        except Exception as error:
            raise CanneryError(
                f"{self.name}: cannot be imported: {type(error).__name__}: {error}"
            ) from error


def here() -> Package | None:
    """The project that the current folder is in; None in cannery's own checkout, or in none."""
    for folder in (Path.cwd(), *Path.cwd().parents):
        if any(folder.glob("op_proto/*.toml")):
            names = [path.parents[1].name for path in folder.glob("python/*/ops/__init__.py")]
            return _project(folder, names[0]) if len(names) == 1 and names != ["cannery"] else None
        if any(folder.glob("op_host/*.cpp")):
            return _made_by_msopgen(folder)
    return None


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
    """What `cannery build` has read from its definitions."""
    models = _models(folder / "build/opp/vendors", "*")
    return Package(folder.name, models, None, has_python=False) if models else None


def unknown(op: str, known: Iterable[str]) -> ValueError:
    """For a command's OP that names no operator."""
    return ValueError(
        f"OP: expected one of {', '.join(known)}, got {op!r}; those of a project are known in its "
        "folder"
    )


@functools.cache
def installed() -> tuple[Package, ...]:
    """Installed packages with operators, by name; what is none is passed over."""
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
