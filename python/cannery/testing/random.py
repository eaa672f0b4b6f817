# SPDX-License-Identifier: Apache-2.0
"""Makes random arrays for test cases. The same seed gives the same bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["normal", "with_strides"]

Array = npt.NDArray[Any]

_BLOCK_ELEMS = 1 << 22


def normal(rng: np.random.Generator, shape: tuple[int, ...], dtype: npt.DTypeLike) -> Array:
    """Returns normally distributed values (mean 0, deviation 1), which are rounded to `dtype` in
    parts. So there is never a float32 copy of the whole array.
    """
    result = np.empty(shape, dtype)
    flat = result.reshape(-1)
    for start in range(0, flat.size, _BLOCK_ELEMS):
        part = flat[start : start + _BLOCK_ELEMS]
        part[...] = rng.standard_normal(part.size, np.float32).astype(dtype)
    return result


def with_strides(array: Array, order: tuple[int, ...], gaps: tuple[int, ...]) -> Array:
    """Returns a strided view with the values of `array`.

    order: the dimensions of `array` in the order of the buffer behind the view, outermost first.
    gaps: for each dimension of `array`, the distance in the buffer from one index to the next (1:
    dense).
    """
    buffer = np.zeros([array.shape[axis] * gaps[axis] for axis in order], array.dtype)
    spaced = buffer[tuple(slice(None, None, gaps[axis]) for axis in order)]
    view: Array = spaced.transpose(np.argsort(order))
    view[...] = array
    return view
