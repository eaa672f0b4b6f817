# SPDX-License-Identifier: Apache-2.0
"""Random arrays for cases; the same seed gives the same bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["normal", "with_strides"]

Array = npt.NDArray[Any]

_BLOCK_ELEMS = 1 << 22


def normal(rng: np.random.Generator, shape: tuple[int, ...], dtype: npt.DTypeLike) -> Array:
    """Standard normal values rounded to `dtype`; no float32 copy of the whole array is made."""
    result = np.empty(shape, dtype)
    flat = result.reshape(-1)
    for start in range(0, flat.size, _BLOCK_ELEMS):
        part = flat[start : start + _BLOCK_ELEMS]
        part[...] = rng.standard_normal(part.size, np.float32).astype(dtype)
    return result


def with_strides(array: Array, order: tuple[int, ...], gaps: tuple[int, ...]) -> Array:
    """Returns a view with the values of `array` whose memory runs through the dimensions in
    `order`, outermost first.

    gaps: for each dimension of `array`, the elements of the buffer from one index to the next (1:
    dense).
    """
    buffer = np.zeros([array.shape[axis] * gaps[axis] for axis in order], array.dtype)
    spaced = buffer[tuple(slice(None, None, gaps[axis]) for axis in order)]
    view: Array = spaced.transpose(np.argsort(order))
    view[...] = array
    return view
