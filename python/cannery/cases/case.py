# SPDX-License-Identifier: Apache-2.0
"""What the command line and the benchmarks need to know about an operator; they know no operator
themselves.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from cannery.testing.compare import Rule

__all__ = ["Array", "AttrValue", "Attrs", "Block", "Case", "CaseRun", "Workloads", "in_parallel"]

Array = npt.NDArray[Any]
AttrValue = bool | int | float | str
Attrs = Mapping[str, AttrValue]

_NOTHING: Attrs = MappingProxyType({})


@dataclass(frozen=True)
class Case:
    """One call: the operator, the dtype, the extents as users name them, every attribute, and the
    size label or "custom".
    """

    op: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    attrs: Attrs
    size: str


@dataclass(frozen=True)
class Block:
    """Consecutive elements of one flattened output, with their golden values.

    scale: the magnitude of the summed terms, for the rule "close".   bound: the largest error that
    the rule "bound" allows.
    """

    output: str
    part: slice
    want: Array
    scale: Array | None = None
    bound: Array | None = None


def in_parallel(make: Callable[[int], Block], starts: Iterable[int]) -> Iterator[Block]:
    """Yields make(start) for each start, in order, on as many threads as there are processors. It
    holds only a few results at a time, so large cases fit into memory.
    """
    workers = os.cpu_count() or 1
    with ThreadPoolExecutor(workers) as pool:
        waiting: deque[Future[Block]] = deque()
        for start in starts:
            waiting.append(pool.submit(make, start))
            if len(waiting) > 2 * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


class CaseRun(Protocol):
    """A case with its inputs in memory."""

    @property
    def ideal_bytes(self) -> int:
        """Bytes of global memory that any implementation must move for these inputs."""

    def call(self) -> Mapping[str, Array | None]:
        """Calls the operator and returns its outputs by name; None for an optional output that the
        case does not ask for.
        """

    def golden(self) -> Iterator[Block]:
        """Returns the golden of every element of every output, in blocks, so that large cases need
        little memory.
        """

    def yardstick(self) -> object:
        """Does the same work in NumPy in float32, so that the benchmarks can time it. The time
        includes the conversion of the inputs, and not the rounding of the result. Returns what it
        computed.
        """


class Workloads(ABC):
    """The workloads of one operator."""

    op: str
    type: str
    #: The dtypes that --dtype can choose.
    dtypes: tuple[np.dtype[Any], ...]
    #: Extents by size: small, medium, large, and further sizes of the operator.
    sizes: Mapping[str, tuple[int, ...]]
    #: The names of the extents, as in ("T", "N", "D"); empty for a tensor of any rank.
    axes: tuple[str, ...] = ()
    #: The attributes that a user may change, with their values in the workloads.
    attrs: Attrs = _NOTHING
    #: How the outputs are compared with their golden; the default is "close".
    rules: Mapping[str, Rule] = MappingProxyType({})

    @abstractmethod
    def prepare(self, case: Case, seed: int) -> CaseRun:
        """Makes the inputs. Raises ValueError for extents from which it cannot make any; the
        operator itself checks its own rules.
        """

    def case(self, size: str, dtype: np.dtype[Any], attrs: Attrs = _NOTHING) -> Case:
        """Returns the workload of that size; ValueError for an unknown size or attribute."""
        if size not in self.sizes:
            known = ", ".join(self.sizes)
            raise ValueError(f"size: {self.op} has {known}, got {size!r}")
        return Case(self.op, dtype, self.sizes[size], self._all_attrs(attrs), size)

    def custom(self, shape: tuple[int, ...], dtype: np.dtype[Any], attrs: Attrs = _NOTHING) -> Case:
        """Returns a case with the user's own extents; ValueError if there are too many or too
        few.
        """
        if self.axes and len(shape) != len(self.axes):
            raise ValueError(
                f"shape: {self.op} takes {len(self.axes)} extents, {','.join(self.axes)}, "
                f"got {len(shape)}: {','.join(map(str, shape))}"
            )
        return Case(self.op, dtype, shape, self._all_attrs(attrs), "custom")

    def _all_attrs(self, changed: Attrs) -> Attrs:
        for name in changed:
            if name not in self.attrs:
                known = ", ".join(self.attrs) or "none"
                raise ValueError(f"attribute {name}: {self.op} has {known}")
        return {**self.attrs, **changed}
