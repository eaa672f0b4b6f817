# SPDX-License-Identifier: Apache-2.0
"""Allocates outputs of operators, and finds elements that an operator has not written."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = [
    "POISON_BYTE",
    "filled_with",
    "gap",
    "holds",
    "output_array",
    "refilled",
    "untouched",
]

Array = npt.NDArray[Any]
Mask = npt.NDArray[np.bool_]

#: Value of poisoned bytes of outputs: -15.6 as float16, -2.67e7 as bfloat16 and float32.
POISON_BYTE = 0xCB

#: The byte that fills new outputs; None leaves them uninitialized.
poison: int | None = None
#: The function that allocates outputs; `cannery.testing.strided_outputs` sets it.
allocate: Callable[[tuple[int, ...], np.dtype[Any]], Array] = np.empty
#: Maps the id() of each filled output that still exists to its fill byte.
_filled: dict[int, int] = {}


def output_array(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Returns a new array for an output; its bytes are arbitrary until the operator writes them."""
    array = allocate(shape, dtype)
    if poison is not None:
        _fill(array, poison)
    return array


@contextmanager
def filled_with(byte: int | None) -> Iterator[None]:
    """Within the `with` block, fills new outputs with `byte`; None leaves them as they are, so that
    calls can be timed.
    """
    global poison
    before, poison = poison, byte
    try:
        yield
    finally:
        poison = before


def untouched(array: Any) -> Mask | None:
    """Returns a flat mask in C order: True for each element that still contains the fill byte. The
    result is None if there is no such element, or if this module has not filled the array.
    """
    byte = _filled.get(id(array))
    if byte is None:
        return None
    mask = holds(array, byte)
    return mask if mask.any() else None


def holds(array: Array, byte: int) -> Mask:
    """Returns a flat mask in C order: True for an element if all its bytes are equal to `byte`."""
    width = array.itemsize
    data = np.ascontiguousarray(array).reshape(-1)
    if width in (1, 2, 4, 8):
        mask: Mask = data.view(f"u{width}") == int.from_bytes(bytes([byte]) * width, "little")
        return mask
    return np.asarray((data.view(np.uint8).reshape(-1, width) == byte).all(axis=1))


def refilled(array: Array) -> Array:
    """Returns a new array like `array`, filled with another byte than `array`. If the operator is
    called with each array, an element that stays filled in both arrays was never written.
    """
    copy = np.empty_like(array)
    _fill(copy, _filled.get(id(array), 0) ^ 0xFF)
    return copy


def gap(mask: Mask, shape: tuple[int, ...]) -> str:
    """Returns a text: how many elements were never written, and where the first gap is.

    mask: True for each element that was never written.
    """
    first = int(np.argmax(mask))
    rest = mask[first:]
    length = rest.size if rest.all() else int(np.argmin(rest))
    where = tuple(int(index) for index in np.unravel_index(first, shape)) if shape else ()
    return (
        f"{np.count_nonzero(mask)} of {mask.size} elements were never written; the first gap has "
        f"{length} element{'s' * (length > 1)} and begins at {where}"
    )


def _fill(array: Array, byte: int) -> None:
    if array.flags.c_contiguous:
        array.reshape(-1).view(np.uint8)[...] = byte
    else:  # np.void can store any byte; storing a bool would only write 0 or 1
        array.view((np.void, array.itemsize))[...] = np.void(bytes([byte]) * array.itemsize)
    _filled[id(array)] = byte
    weakref.finalize(array, _filled.pop, id(array), None).atexit = False
