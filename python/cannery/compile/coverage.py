# SPDX-License-Identifier: Apache-2.0
"""Reads the twin's record of a launch: which elements of its arrays the launch wrote."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cannery.errors import IncompleteOutputError
from cannery.outputs import POISON_BYTE, gap, holds

__all__ = ["COVERAGE", "Coverage", "Outputs", "coverage_of", "name_of", "read_coverage"]

Array = npt.NDArray[Any]
Mask = npt.NDArray[np.bool_]

#: The environment variable that names the file with the twin's record of written elements.
COVERAGE = "CANNERY_COVERAGE"
_LABEL = "argument "
_ADVICE = (
    "\n  try: a kernel that writes every element; do not name an array as an output if the kernel "
    "only changes a part of it"
)


@dataclass(frozen=True)
class Coverage:
    """Which elements of an array a launch wrote. Indices count elements of the flat array."""

    argument: str
    elements: int
    holes: tuple[
        tuple[int, int], ...
    ]  #: first and last element of each run of elements that were not fully written
    #: first and last element of each range that several cores wrote without atomics
    shared: tuple[tuple[int, int], ...]
    #: first and last element of each run of elements that only atomic copies changed
    added: tuple[tuple[int, int], ...] = ()

    @property
    def complete(self) -> bool:
        """Whether the launch wrote every element of the array."""
        return not self.holes

    @property
    def unwritten(self) -> int:
        """The number of elements that were not fully written."""
        return sum(last - first + 1 for first, last in self.holes)

    def __str__(self) -> str:
        parts = [f"{self.argument}: {self.elements} elements"]
        for name, runs in (("never written", self.holes), ("written by two cores", self.shared)):
            if runs:
                count = sum(last - first + 1 for first, last in runs)
                shown = ", ".join(f"{a}" if a == b else f"{a} to {b}" for a, b in runs[:4])
                parts.append(f"{count} {name}: {shown}{', ...' if len(runs) > 4 else ''}")
        return "; ".join(parts)


def read_coverage(file: Path, arrays: Mapping[str, Array]) -> tuple[Coverage, ...]:
    """Returns the coverage of every array that the launch wrote to.

    file: the twin's record of one launch.   arrays: the arrays of the launch, by their names in the
    kernel.
    """
    launch = json.loads(file.read_text(encoding="utf-8", errors="surrogateescape"))
    found: dict[str, Coverage] = {}
    for label, parts in launch["arrays"].items():
        for name, offset in _places(label, arrays):
            array = arrays[name]
            written = _elements(array, parts["written"], offset, every=True)
            shared = _elements(array, parts["shared"], offset, every=False)
            plain = _elements(array, parts["plain"], offset, every=True)
            found[name] = Coverage(
                name, array.size, _bounds(~written), _bounds(shared), _bounds(written & ~plain)
            )
    return tuple(found[name] for name in arrays if name in found)


def coverage_of(
    array: str | Array, arrays: Mapping[str, Array], found: tuple[Coverage, ...]
) -> Coverage:
    """Returns the coverage of one of `arrays`, even if the launch wrote nothing to this array."""
    name = name_of("array", array, arrays)
    nothing = Coverage(name, arrays[name].size, _bounds(np.ones(arrays[name].size, np.bool_)), ())
    return next((each for each in found if each.argument == name), nothing)


def name_of(parameter: str, array: str | Array, arrays: Mapping[str, Array]) -> str:
    """Returns the kernel's name for `array`. Raises ValueError if it is not one of `arrays`."""
    for name, each in arrays.items():
        if each is array or (isinstance(array, str) and name == array):
            return name
    known = ", ".join(arrays) or "none"
    given = repr(array) if isinstance(array, str) else "another array"
    raise ValueError(f"{parameter}: expected an array of the launch ({known}), got {given}")


def _places(label: str, arrays: Mapping[str, Array]) -> Iterator[tuple[str, int]]:
    """Returns the arrays in a range of memory, each with its offset in the range in bytes. If
    several arrays share memory, the label of the range names all of them.
    """
    names = [part.removeprefix(_LABEL) for part in label.split(" + ")]
    inside = [name for name in names if name in arrays]
    begins = {name: arrays[name].ctypes.data for name in inside}
    for name in inside:
        yield name, begins[name] - min(begins.values())


def _elements(array: Array, parts: list[list[int]], offset: int, *, every: bool) -> Mask:
    """Returns a flat mask: True for an element if its bytes are in `parts`. If `every` is true, all
    bytes of the element must be there; otherwise one byte is enough.
    """
    mask = np.zeros(array.size, np.bool_)
    width = array.itemsize
    for begin, end in parts:
        first, last = begin - offset, end - offset
        if every:
            mask[max(0, -(-first // width)) : max(0, last // width)] = True
        else:
            mask[max(0, first // width) : max(0, -(-last // width))] = True
    return mask


def _bounds(mask: Mask) -> tuple[tuple[int, int], ...]:
    """Returns the first and the last index of every run of True values in the mask."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
    return tuple((int(a), int(b) - 1) for a, b in zip(edges[::2], edges[1::2], strict=True))


class Outputs:
    """Arrays of a call that the kernel must write completely. Before the launch, they are filled
    with a pattern. An element is a gap if no instruction wrote it, and if it still contains the
    pattern. (The second condition is for writes through a raw pointer, which are not recorded.) An
    element that only atomic copies changed is wrong, too: the copies added to the pattern.
    """

    def __init__(self, outputs: Iterable[str | Array], arrays: Mapping[str, Array]) -> None:
        """outputs: arrays of the call, or the kernel's names for them.   arrays: all arrays of the
        call, by name. Raises ValueError if an output is not one of these arrays.
        """
        self._arrays = arrays
        given = [outputs] if isinstance(outputs, str | np.ndarray) else outputs
        self._names = [self._name(each) for each in given]

    def fill(self) -> None:
        """Fills the arrays with the pattern."""
        for name in self._names:
            self._arrays[name].reshape(-1).view(np.uint8)[...] = POISON_BYTE

    def check(self, kernel: str, found: tuple[Coverage, ...]) -> None:
        """Raises IncompleteOutputError if the launch did not write all elements of the outputs."""
        written = {each.argument: each for each in found}
        gaps = []
        for name in self._names:
            array = self._arrays[name]
            mask = holds(array, POISON_BYTE)
            if name in written:
                mask &= _inside(written[name].holes, array.size)
            added = _inside(written[name].added if name in written else (), array.size)
            if added.any():
                gaps.append(
                    f"output {name} of kernel {kernel}: {np.count_nonzero(added)} of {array.size} "
                    "elements were added to (SetAtomic...), but never written before; the first is "
                    f"{int(np.argmax(added))}"
                )
            if mask.any():
                gaps.append(f"output {name} of kernel {kernel}: {gap(mask, array.shape)}")
        if gaps:
            raise IncompleteOutputError("\n".join(gaps) + _ADVICE, tuple(gaps))

    def _name(self, output: str | Array) -> str:
        name = name_of("outputs", output, self._arrays)
        if not self._arrays[name].flags.writeable:
            raise ValueError(f"outputs: {name} is an array that is not writable")
        return name


def _inside(runs: tuple[tuple[int, int], ...], elements: int) -> Mask:
    mask = np.zeros(elements, np.bool_)
    for first, last in runs:
        mask[first : last + 1] = True
    return mask
