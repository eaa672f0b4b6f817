# SPDX-License-Identifier: Apache-2.0
"""Workloads of an operator in a project that `cannery new` made. All inputs are random and have the
same shape, as in the operator's tests.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import Any

import ml_dtypes
import numpy as np

from cannery.cases.case import Array, Attrs, AttrValue, Block, Case, Workloads
from cannery.errors import CanneryError
from cannery.opgen.model import Operator
from cannery.packages import Package
from cannery.testing.rows import OperatorRow

__all__ = ["ProjectRun", "ProjectWorkloads"]

#: Values for attributes without a default.
_SOME: dict[str, AttrValue] = {"int": 1, "float": 0.5, "bool": True, "string": "a"}


class ProjectWorkloads(Workloads):
    """Workloads whose inputs all have the same shape; attributes have their defaults."""

    sizes = MappingProxyType({"small": (128, 4096), "medium": (1024, 8192), "large": (8192, 8192)})

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

    def prepare(self, case: Case, seed: int) -> ProjectRun:
        if not self.package.has_python:
            raise CanneryError(
                f"{self.op}: {self.package.name} has no golden that its result could be compared "
                f"with; call it as docs/projects.md says: cannery.project.load(...).{self.op}(...)"
            )
        rows = self.model.inputs[0].dtypes
        row = OperatorRow(self.model, rows.index(case.dtype.name), "")
        lists = [attr for attr in self.model.public_attrs if attr.type not in _SOME]
        required: dict[str, Any] = {attr.py_name: [1] for attr in lists if not attr.optional}
        return ProjectRun(self, row.inputs(case.shape, seed), {**case.attrs, **required})


class ProjectRun:
    """Holds the inputs of one call; computes the operator's outputs and the golden outputs."""

    def __init__(self, workloads: ProjectWorkloads, inputs: dict[str, Any], attrs: Attrs) -> None:
        self._outputs = [tensor.py_name for tensor in workloads.model.outputs]
        self._module = workloads.package.module()
        self._op = workloads.op
        self._given = {**inputs, **attrs}

    @property
    def ideal_bytes(self) -> int:
        """Bytes that are moved if all inputs are read once and all outputs are written once."""
        arrays = [value for value in self._given.values() if isinstance(value, np.ndarray)]
        read = sum(array.nbytes for array in arrays)
        return read + sum(array.nbytes for array in self.call().values() if array is not None)

    def call(self) -> dict[str, Array | None]:
        return self._named(getattr(self._module, self._op)(**self._given))

    def golden(self) -> Iterator[Block]:
        wanted = self._named(getattr(self._module.golden, self._op)(**self._given))
        for name, want in wanted.items():
            if want is not None:
                yield Block(name, slice(0, want.size), np.asarray(want).reshape(-1))

    def yardstick(self) -> object:
        return getattr(self._module.golden, self._op)(**self._given)

    def _named(self, results: Any) -> dict[str, Array | None]:
        every = results if isinstance(results, tuple) else (results,)
        return dict(zip(self._outputs, every, strict=True))
