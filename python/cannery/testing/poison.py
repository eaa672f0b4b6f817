# SPDX-License-Identifier: Apache-2.0
"""Outputs that show which elements an operator did not write, and which bytes it should not have
written.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from cannery.ops import arguments
from cannery.ops.arguments import Array

__all__ = ["POISON_BYTE", "poisoned_outputs", "strided_outputs"]

# the twin uses the same; as float16 it is -15.6, as bfloat16 and float32 -2.67e7
POISON_BYTE = 0xCB


@contextmanager
def poisoned_outputs(byte: int = POISON_BYTE) -> Iterator[None]:
    """Fills the outputs of operators in the block with the byte `byte`, so that an element which is
    not written is no zero.
    """
    before = arguments.poison
    arguments.poison = byte
    try:
        yield
    finally:
        arguments.poison = before


@contextmanager
def strided_outputs(gap: int = 2, *, reverse: bool = False) -> Iterator[None]:
    """Makes the outputs of operators in the block views into larger arrays.

    gap: elements of memory from one element to the next, in every dimension (1: dense).
    reverse: memory runs through the dimensions from the last to the first.
    Raises AssertionError at the end if an operator wrote between the elements of its outputs. An
    operator whose outputs must be contiguous fails with its status.
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

    before = arguments.allocate
    arguments.allocate = allocate
    try:
        yield
    finally:
        arguments.allocate = before
    for buffer, between in made:
        written = np.count_nonzero(buffer[between].view(np.uint8) != POISON_BYTE)
        if written:
            raise AssertionError(
                f"{written} bytes between the elements of an output of shape "
                f"{tuple(extent // gap for extent in buffer.shape)} were written"
            )
