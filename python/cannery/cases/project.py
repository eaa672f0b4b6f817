# SPDX-License-Identifier: Apache-2.0
"""Workloads of an operator in a project that `cannery new` made. The inputs are those of the
operator's tests: random, or made by the project's module cases.<op>.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

import ml_dtypes
import numpy as np

from cannery.cases.case import Array, Attrs, AttrValue, Block, Case, Workloads
from cannery.errors import CanneryError
from cannery.opgen.model import Operator, Tensor
from cannery.packages import Package, no_exit
from cannery.testing.rows import OperatorRow
from cannery.testing.shapes import ShapeError
from cannery.testing.sizes import SizeError

__all__ = ["ProjectRun", "ProjectWorkloads"]

#: Values for attributes without a default.
_SOME: dict[str, AttrValue] = {"int": 1, "float": 0.5, "bool": True, "string": "a"}


class ProjectWorkloads(Workloads):
    """The extents of a size are the shape of the first input. Attributes have their defaults."""

    # If two tensors share the unified buffer, each core has at least three tiles at the smallest
    # size. With fewer tiles, a kernel that never frees a buffer would pass.
    sizes = MappingProxyType({"small": (2048, 4096), "medium": (4096, 8192), "large": (8192, 8192)})

    def __init__(self, package: Package, model: Operator) -> None:
        self.package = package
        self.model = model
        self.op = model.snake
        self.type = model.type
        names = model.inputs[0].distinct_dtypes
        self.dtypes = tuple(np.dtype(getattr(ml_dtypes, name, name)) for name in names)
        plain = [attr for attr in model.public_attrs if attr.type in _SOME]
        values: dict[str, Any] = {
            attr.py_name: attr.default if attr.optional else _SOME[attr.type] for attr in plain
        }
        self.attrs = MappingProxyType(values)
        others = [attr for attr in model.public_attrs if attr.type not in _SOME]
        self.lists = tuple(attr.py_name for attr in others)
        self.inputs = tuple(tensor.py_name for tensor in model.inputs)

    @property
    def off_by(self) -> Mapping[str, int]:
        """The dictionary OFF_BY of the project's module cases.<op>."""
        module = self.package.cases(self.op)
        given: Any = getattr(module, "OFF_BY", {})
        names = [tensor.py_name for tensor in self.model.outputs]
        if not isinstance(given, dict):
            raise CanneryError(
                f"{self.package.name}.cases.{self.op}.OFF_BY: expected a dictionary, got {given!r}"
            )
        for name, value in given.items():
            if name not in names or type(value) is not int or value < 0:
                raise CanneryError(
                    f"{self.package.name}.cases.{self.op}.OFF_BY: expected whole numbers for "
                    f"{', '.join(names)}, got {name!r}: {value!r}"
                )
        return dict(given)

    def takes(self, dtype: np.dtype[Any], args: Mapping[str, Array]) -> bool:
        return bool(self._rows(dtype, args))

    def _rows(self, dtype: np.dtype[Any], args: Mapping[str, Array]) -> list[int]:
        first, *_ = self.model.inputs
        given = [(tensor, args[name]) for tensor, name in self._named() if name in args]
        return [
            row
            for row in range(self.model.rows)
            if first.dtypes[row] == dtype.name
            and all(tensor.dtypes[row] == array.dtype.name for tensor, array in given)
        ]

    def _named(self) -> Iterator[tuple[Tensor, str]]:
        return ((tensor, tensor.py_name) for tensor in self.model.inputs)

    def prepare(self, case: Case, seed: int) -> ProjectRun:
        if not self.package.has_python:
            raise CanneryError(
                f"{self.op}: {self.package.name} has no golden that its result could be compared "
                f"with; call it as docs/projects.md says: cannery.project.load(...).{self.op}(...)"
            )
        (number, *_) = self._rows(case.dtype, case.args)
        cases = self.package.cases(self.op)
        row = OperatorRow(self.model, number, "", getattr(cases, "inputs", None))
        try:
            with no_exit(f"{self.package.name}.cases.{self.op}: inputs"):
                inputs = row.inputs(case.shape, seed, **case.given_shapes)
        except ShapeError as error:
            option = "--arg" if error.name in case.args else "--shape"
            remedy = "--shape NAME=EXTENTS"
            if error.name in case.given_shapes:
                extents = ",".join(map(str, case.shapes.get(error.name, ("...",)))) or "()"
                remedy = f"leave out {option} {error.name}={extents}; cannery makes the array"
            raise ValueError(f"{option}: {error}\n  try: {remedy}") from None
        except SizeError as error:
            raise ValueError(f"{case.argument}: {error}") from None
        except CanneryError:
            raise
        except Exception as error:
            if row.maker is None:
                raise
            raise CanneryError(
                f"{self.package.name}.cases.{self.op}: inputs: {type(error).__name__}: {error}"
            ) from error
        for tensor, name in self._named():
            if name in case.args:
                array = case.args[name]
                inputs[name] = array.tolist() if tensor.value_depend else array
        lists = [attr for attr in self.model.public_attrs if attr.type not in _SOME]
        required: dict[str, Any] = {attr.py_name: [1] for attr in lists if not attr.optional}
        return ProjectRun(self, inputs, {**case.attrs, **required})


class ProjectRun:
    """Holds the inputs of one call; computes the operator's outputs and the golden outputs."""

    def __init__(self, workloads: ProjectWorkloads, inputs: dict[str, Any], attrs: Attrs) -> None:
        self._outputs = [tensor.py_name for tensor in workloads.model.outputs]
        self._module = workloads.package.module()
        self._op = workloads.op
        self._given = {**inputs, **attrs}
        self._written: int | None = None  #: bytes of all outputs, known after a call

    @property
    def ideal_bytes(self) -> int:
        """Bytes that are moved if all inputs are read once and all outputs are written once."""
        arrays = [value for value in self._given.values() if isinstance(value, np.ndarray)]
        if self._written is None:
            self.call()
        return sum(array.nbytes for array in arrays) + (self._written or 0)

    def call(self) -> dict[str, Array | None]:
        with no_exit(f"{self._module.__name__}.{self._op}"):
            results = self._named(getattr(self._module, self._op)(**self._given))
        self._written = sum(array.nbytes for array in results.values() if array is not None)
        return results

    def golden(self) -> Iterator[Block]:
        name = f"{self._module.__name__}.golden.{self._op}"
        with no_exit(name):
            try:
                given = self._named(getattr(self._module.golden, self._op)(**self._given))
                wanted = {
                    output: None if want is None else np.asarray(want)
                    for output, want in given.items()
                }
            except Exception as error:
                raise CanneryError(f"{name}: {type(error).__name__}: {error}") from error
        for output, want in wanted.items():
            if want is not None:
                yield Block(output, slice(0, want.size), want.reshape(-1))

    def yardstick(self) -> object:
        return getattr(self._module.golden, self._op)(**self._given)

    def _named(self, results: Any) -> dict[str, Array | None]:
        every = results if isinstance(results, tuple) else (results,)
        return dict(zip(self._outputs, every, strict=True))
