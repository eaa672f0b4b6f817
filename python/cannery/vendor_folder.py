# SPDX-License-Identifier: Apache-2.0
"""The compiled operators in a vendor folder: finds the folder and calls the operators."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cannery import _runtime, _toolkit, settings
from cannery.errors import CanneryError, NotBuiltError

if TYPE_CHECKING:
    from cannery._native import Operator, OperatorLibrary

__all__ = ["Operators", "built_in", "operator"]

_PATHS = "ASCEND_CUSTOM_OPP_PATH"


class Operators:
    """The operators in a vendor folder (`vendors/<vendor>`, laid out as an installed package)."""

    def __init__(
        self,
        name: str,
        places: Sequence[Path],
        advice: str,
        card: Path,
        *,
        built_in: bool = False,
    ) -> None:
        """places: where the folder may be; the first that exists counts.   advice: what the user
        can do if it does not exist.   card: where `cannery build --soc` leaves the folder for the
        backend npu; if it is not there, operators installed in the toolkit are used.   built_in:
        these are cannery's own operators, which are found without this folder.
        """
        self.name = name
        self._card = card
        _toolkit.add_private(card)
        self._built_in = built_in
        self._places = places
        self._advice = advice
        self._operators: dict[str, Operator] = {}

    @classmethod
    def of_package(cls, file: str) -> Operators:
        """Returns the operators of the Python package with the module `file`: inside the installed
        package, or in the project, where `cannery build` has left them.
        """
        package = Path(file).resolve().parent
        project = package.parents[1]
        places = [
            root / "vendors" / package.name for root in (package / "_opp", project / "build/opp")
        ]
        card = project / "build/npu/vendors" / package.name
        return cls(package.name, places, f"run `cannery build` in {project}", card)

    @classmethod
    def of_project(cls, project: str | os.PathLike[str]) -> Operators:
        """Returns the operators that `cannery build` has left in a project's folder; the project
        needs no Python package: `Operators.of_project("AddCustom").find("add_custom")(x, y, z)`.
        CanneryError if there is no such folder.
        """
        root = Path(project).resolve()
        if not root.is_dir():
            raise CanneryError(f"{root}: no such folder; expected that of a project")
        vendors = root / "build" / "opp" / "vendors"
        places = sorted(path.parent for path in vendors.glob("*/version.info"))
        card = root / "build/npu/vendors" / (places[0].name if places else root.name)
        return cls(root.name, places, f"run `cannery build` in {root}", card)

    @property
    def folder(self) -> Path:
        """The vendor folder; NotBuiltError if it does not exist."""
        for place in [self._card, *self._places] if self._is_npu() else self._places:
            if (place / "op_api/lib/libcust_opapi.so").is_file():
                return place
        looked = ", ".join(map(str, self._places)) or "its build folder"
        raise NotBuiltError(f"{self.name}: no compiled operators in {looked}; {self._advice}")

    def model(self, op: str) -> dict[str, Any]:
        """The prototype of an operator by its name in snake case; CanneryError for an unknown
        name.
        """
        path = self.folder / "cannery/proto" / f"{op}.json"
        try:
            model: dict[str, Any] = json.loads(path.read_text("utf-8"))
        except OSError:
            known = ", ".join(self.names())
            raise CanneryError(
                f"{op}: {self.name} has {known or 'no operators'}; {self._advice}"
            ) from None
        return model

    def names(self) -> list[str]:
        """The names of the operators in snake case."""
        return sorted(path.stem for path in (self.folder / "cannery/proto").glob("*.json"))

    def find(self, op: str) -> Operator:
        """Returns an operator, as a function of its C parameters in their order; arrays are
        NumPy's.
        """
        module = _runtime.native()  # at each call, because another backend may have been asked for
        if op not in self._operators:
            model = self.model(op)
            library = self.library
            _check_first(op, self.folder)
            parameters = [(param["py_name"], param["value"]) for param in model["params"]]
            self._operators[op] = module.Operator(library, op, model["aclnn"]["public"], parameters)
        return self._operators[op]

    @functools.cached_property
    def library(self) -> OperatorLibrary:
        """The libraries for the backend that the process uses."""
        module = _runtime.native()
        own = self.folder == self._card if self._is_npu() else not self._built_in
        directories = _runtime.library_dirs(settings.current_backend())
        if own:
            directories = [str(self.folder / "op_api/lib")]
            _announce(self.folder)
        calls = os.fsencode(self.folder / "cannery/lib/libcannery_calls.so")
        library: OperatorLibrary = module.OperatorLibrary(directories, calls)
        return library

    @staticmethod
    def _is_npu() -> bool:
        return settings.current_backend() == "npu"


@functools.cache
def built_in() -> Operators:
    """Returns the operators that come with cannery."""
    places = [_runtime.package_root()]
    return Operators("cannery", places, "reinstall cannery", _toolkit.OWN, built_in=True)


def operator(op: str) -> Operator:
    """One of the operators that come with cannery; the same as `Operators.find`."""
    return built_in().find(op)


#: The packages of projects that this process uses, in the order of their first use.
_announced: list[Path] = []


def _announce(folder: Path) -> None:
    """Adds the package to the variable by which the toolkit finds tiling and kernels when an
    operator is first needed.
    """
    if folder not in _announced:
        _announced.append(folder)
    own = list(map(str, _announced))
    paths = [path for path in os.environ.get(_PATHS, "").split(os.pathsep) if path]
    os.environ[_PATHS] = os.pathsep.join([*own, *(path for path in paths if path not in own)])


def _check_first(op: str, folder: Path) -> None:
    """Raises CanneryError if the kernel of another package would run, because the runtime
    identifies operators only by their types.
    """
    if folder not in _announced:
        return
    first = next(each for each in _announced if (each / f"cannery/proto/{op}.json").is_file())
    if first != folder:
        raise CanneryError(
            f"{op}: this process has the operator of {first}, and knows one of a name, as on a "
            f"card; use that of {folder} in another process, or give it another name"
        )
