# SPDX-License-Identifier: Apache-2.0
"""What the command line needs to know about an operator, without knowing any."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

__all__ = ["Block", "Case", "CaseRun", "Workloads"]

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Case:
    """One call: operator, dtype, the shape that users speak of, and the size label or "custom"."""

    op: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    dim: int
    size: str


@dataclass(frozen=True)
class Block:
    """Consecutive elements of the flattened result, with the golden values for them."""

    part: slice
    want: Array
    scale: Array | None


class CaseRun(Protocol):
    """A case with its inputs in memory."""

    def call(self) -> Array:
        """The operator's result."""

    def golden(self) -> Iterator[Block]:
        """The float64 golden in blocks that leave room for large cases."""


class Workloads(Protocol):
    """The workloads of one operator."""

    op: str
    type: str
    dtypes: tuple[np.dtype[Any], ...]

    def case(self, size: str, dtype: np.dtype[Any]) -> Case:
        """The workload of that size; ValueError for an unknown size."""

    def custom(self, shape: tuple[int, ...], dim: int, dtype: np.dtype[Any]) -> Case:
        """A case of the user's own shape. Rules of the operator are left to the operator."""

    def prepare(self, case: Case, seed: int) -> CaseRun:
        """Makes the inputs."""

    def ideal_bytes(self, case: Case) -> int:
        """Bytes of global memory that any implementation must move."""
