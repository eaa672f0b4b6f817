# SPDX-License-Identifier: Apache-2.0
"""The compiled operators in a vendor folder: finds the folder and calls the operators."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cannery import _runtime, _toolkit, outputs, project_settings, settings
from cannery.checked_operator import CheckedOperator
from cannery.errors import CanneryError, NotBuiltError

if TYPE_CHECKING:
    from cannery._native import OperatorLibrary

__all__ = ["Operators", "built_in", "operator"]

_PATHS = "ASCEND_CUSTOM_OPP_PATH"


class Operators:
    """The operators in a vendor folder: `vendors/<vendor>`, as in an installed package."""

    def __init__(
        self,
        name: str,
        places: Sequence[Path],
        advice: str,
        card: Path,
        *,
        project: Path | None = None,
        built_in: bool = False,
    ) -> None:
        """Stores the arguments.   places: possible paths of the vendor folder; the first existing
        path is used.   advice: what the user can do if no path exists.   card: the vendor folder of
        `cannery build --soc`; without it, the backend npu uses operators installed in the toolkit.
        project: the folder of the project that is being developed. On the twin, its settings apply
        to calls; outputs are filled with a pattern, so that elements that nobody wrote are found.
        built_in: the operators come with cannery; the twin needs no folder to find their libraries.
        """
        self.name = name
        self._card = card
        _toolkit.add_private(card)
        self._built_in = built_in
        self._places = places
        self._advice = advice
        self._operators: dict[str, CheckedOperator] = {}
        self._project = project
        if project is not None and outputs.poison is None:
            outputs.poison = outputs.POISON_BYTE

    @classmethod
    def of_package(cls, file: str) -> Operators:
        """Returns the operators of the Python package that contains `file`. The vendor folder is
        in the installed package, or in `build/opp` of the project with the package's source.
        """
        package = Path(file).resolve().parent
        project = package.parents[1]
        places = [
            root / "vendors" / package.name for root in (package / "_opp", project / "build/opp")
        ]
        card = project / "build/npu/vendors" / package.name
        developed = None if places[0].is_dir() else project
        advice = f"run `cannery build` in {project}"
        return cls(package.name, places, advice, card, project=developed)

    @classmethod
    def of_project(cls, project: str | os.PathLike[str]) -> Operators:
        """Returns the operators that `cannery build` has built in a project's folder; the project
        needs no Python package: `Operators.of_project("AddCustom").find("add_custom")(x, y, z)`.
        Raises CanneryError if there is no such folder.
        """
        root = Path(project).resolve()
        if not root.is_dir():
            raise CanneryError(f"{root}: no such folder; expected that of a project")
        vendors = root / "build" / "opp" / "vendors"
        places = sorted(path.parent for path in vendors.glob("*/version.info"))
        card = root / "build/npu/vendors" / (places[0].name if places else root.name)
        return cls(root.name, places, f"run `cannery build` in {root}", card, project=root)

    @property
    def folder(self) -> Path:
        """The path of the vendor folder. Raises NotBuiltError if it does not exist."""
        for place in [self._card, *self._places] if self._is_npu() else self._places:
            if (place / "op_api/lib/libcust_opapi.so").is_file():
                return place
        looked = ", ".join(map(str, self._places)) or "its build folder"
        raise NotBuiltError(f"{self.name}: no compiled operators in {looked}; {self._advice}")

    def model(self, op: str) -> dict[str, Any]:
        """Returns the prototype of the operator with this name in snake case. Raises CanneryError
        for an unknown name.
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
        """Returns the names of the operators in snake case."""
        return sorted(path.stem for path in (self.folder / "cannery/proto").glob("*.json"))

    def find(self, op: str) -> CheckedOperator:
        """Returns the operator with this name in snake case. The result is callable and takes the
        parameters of the operator's C function, in the same order; tensors are NumPy arrays.
        """
        module = _runtime.native()  # raises if the backend changed after its first use
        if op not in self._operators:
            model = self.model(op)
            library = self.library
            _check_first(op, self.folder)
            parameters = [(param["py_name"], param["value"]) for param in model["params"]]
            native = module.Operator(library, op, model["aclnn"]["public"], parameters)
            self._operators[op] = CheckedOperator(native, model, self._defaults())
        return self._operators[op]

    def _defaults(self) -> dict[str, str]:
        """Returns the project's settings; a call uses those that the environment does not set."""
        if self._project is None or self._is_npu():
            return {}
        return project_settings.settings_of(self._project)

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


def operator(op: str) -> CheckedOperator:
    """Returns an operator that comes with cannery, as `Operators.find` returns it."""
    return built_in().find(op)


#: The vendor folders that this process uses, in the order of their first use.
_announced: list[Path] = []


def _announce(folder: Path) -> None:
    """Adds a vendor folder to ASCEND_CUSTOM_OPP_PATH. At the first call of an operator, the toolkit
    searches the folders of this variable for the operator's tiling and kernels.
    """
    if folder not in _announced:
        _announced.append(folder)
    own = list(map(str, _announced))
    paths = [path for path in os.environ.get(_PATHS, "").split(os.pathsep) if path]
    os.environ[_PATHS] = os.pathsep.join([*own, *(path for path in paths if path not in own)])


def _check_first(op: str, folder: Path) -> None:
    """Raises CanneryError if the kernel of another vendor folder would run. The runtime finds a
    kernel only by the operator's type, and uses the first folder that has an operator of this type.
    """
    if folder not in _announced:
        return
    first = next(each for each in _announced if (each / f"cannery/proto/{op}.json").is_file())
    if first != folder:
        raise CanneryError(
            f"{op}: this process has the operator of {first}, and knows one of a name, as on a "
            f"card; use that of {folder} in another process, or give it another name"
        )
