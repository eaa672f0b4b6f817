# SPDX-License-Identifier: Apache-2.0
"""Classes through which the command line and the benchmarks use all operators in the same way."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
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
    """One call of an operator. `shape` has the extents in the order of `Workloads.axes`; `size` is
    the name of a size, or "custom".
    """

    op: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    attrs: Attrs
    size: str
    #: Shapes and arrays of single inputs, by name; an array replaces the random input.
    shapes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    args: Mapping[str, Array] = field(default_factory=dict)

    @property
    def argument(self) -> str:
        """The option of the command line that decides the shapes of this case."""
        extents = ",".join(map(str, self.shape)) or "()"
        return f"--shape {extents}" if self.size == "custom" else f"--size {self.size}"

    @property
    def given_shapes(self) -> Mapping[str, tuple[int, ...]]:
        """The shapes that the user gives for single inputs, directly or by an array."""
        return {**self.shapes, **{name: array.shape for name, array in self.args.items()}}


@dataclass(frozen=True)
class Block:
    """Consecutive elements of one flattened output, with their golden values.

    scale: the magnitude of the summed terms, for the comparison rule "close".   bound: the largest
    error that the comparison rule "bound" allows.
    """

    output: str
    part: slice
    want: Array
    scale: Array | None = None
    bound: Array | None = None


def in_parallel(make: Callable[[int], Block], starts: Iterable[int]) -> Iterator[Block]:
    """Calls make(start) for each start, with one thread per processor, and yields the results in
    order. Only a few results exist at a time, so large cases fit into memory.
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
    """A case with its inputs in memory, ready to run."""

    @property
    def ideal_bytes(self) -> int:
        """Bytes of global memory that any implementation must move for these inputs."""

    def call(self) -> Mapping[str, Array | None]:
        """Calls the operator and returns its outputs by name; None for an optional output that the
        case does not ask for.
        """

    def golden(self) -> Iterator[Block]:
        """Yields the golden values of all outputs in blocks, so that large cases need little
        memory.
        """

    def yardstick(self) -> object:
        """Computes the outputs with NumPy in float32, as a comparison for benchmarks. The time
        includes the conversion of the inputs, but not the rounding of the result.
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
    #: The names of the attributes that are lists. The command line gives no values to them.
    lists: tuple[str, ...] = ()
    #: The inputs for which a user may give shapes and arrays; empty if the extents decide them all.
    inputs: tuple[str, ...] = ()
    #: How the outputs are compared with their golden; the default is "close".
    rules: Mapping[str, Rule] = MappingProxyType({})

    @property
    def off_by(self) -> Mapping[str, int]:
        """The largest differences of outputs with an integer dtype, for the rule "close"."""
        return MappingProxyType({})

    @abstractmethod
    def prepare(self, case: Case, seed: int) -> CaseRun:
        """Creates the inputs. Raises ValueError if no inputs with these extents exist; the operator
        checks everything else itself.
        """

    def takes(self, dtype: np.dtype[Any], args: Mapping[str, Array]) -> bool:
        """Returns whether the operator supports `dtype` together with the dtypes of `args`."""
        return not args

    def case(self, size: str, dtype: np.dtype[Any], attrs: Attrs = _NOTHING) -> Case:
        """Returns the case of that size; raises ValueError for an unknown size or attribute."""
        if size not in self.sizes:
            known = ", ".join(self.sizes)
            raise ValueError(f"size: {self.op} has {known}, got {size!r}")
        return Case(self.op, dtype, self.sizes[size], self._all_attrs(attrs), size)

    def custom(self, shape: tuple[int, ...], dtype: np.dtype[Any], attrs: Attrs = _NOTHING) -> Case:
        """Returns a case with the extents `shape`; raises ValueError if their number is wrong."""
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
