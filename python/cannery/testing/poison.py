# SPDX-License-Identifier: Apache-2.0
"""Fills outputs with a poison byte. A test then sees which elements an operator did not write, and
which bytes the operator should not have written.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from cannery import outputs
from cannery.outputs import POISON_BYTE, Array

if TYPE_CHECKING:
    from cannery.compile import Kernel

__all__ = ["POISON_BYTE", "assert_written", "poisoned_outputs", "strided_outputs"]


def assert_written(kernel: Kernel, *arrays: str | Array) -> None:
    """Raises AssertionError if the last call of the kernel left elements of these arrays unwritten.

    arrays: arrays of the call, or the kernel's names for them. Without arrays, checks all arrays
    that the call wrote to. Writes through a raw pointer are not recorded, so they do not count.
    Like `Kernel.coverage`, this function may run the call again.
    """
    gaps = [str(each) for each in kernel.coverage(*arrays) if not each.complete]
    if gaps:
        raise AssertionError("\n".join(f"kernel {kernel.name}: {gap}" for gap in gaps))


@contextmanager
def poisoned_outputs(byte: int = POISON_BYTE) -> Iterator[None]:
    """Within the `with` block, fills the outputs of operators with the byte `byte` before they run.
    So elements that an operator does not write are not 0 by chance.
    """
    with outputs.filled_with(byte):
        yield


@contextmanager
def strided_outputs(gap: int = 2, *, reverse: bool = False) -> Iterator[None]:
    """Within the `with` block, makes the outputs of operators views into larger arrays.

    gap: the distance from one index to the next in the larger array, in every dimension (1: dense).
    reverse: the larger array has its dimensions in reverse order.
    Raises AssertionError at the end if an operator wrote between the elements of its outputs. If an
    operator needs contiguous outputs, its call fails with the status that the operator returns.
    """
    made: list[tuple[Array, Array]] = []

    def allocate(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
        extents = [extent * gap for extent in (shape[::-1] if reverse else shape)]
        buffer = np.zeros(extents, dtype)
        buffer.reshape(-1).view(np.uint8)[...] = POISON_BYTE
        # The ellipsis keeps an array without dimensions an array.
        elements: Any = (..., *(slice(None, None, gap) for _ in shape))
        between = np.ones(extents, np.bool_)
        between[elements] = False
        made.append((buffer, between))
        view: Array = buffer[elements]
        return view.T if reverse else view

    before = outputs.allocate
    outputs.allocate = allocate
    try:
        yield
    finally:
        outputs.allocate = before
    for buffer, between in made:
        written = np.count_nonzero(buffer[between].view(np.uint8) != POISON_BYTE)
        if written:
            raise AssertionError(
                f"{written} bytes between the elements of an output of shape "
                f"{tuple(extent // gap for extent in buffer.shape)} were written"
            )
