# SPDX-License-Identifier: Apache-2.0
"""Packs signed 4-bit numbers, eight per int32, in the form of the operators' int4 weights."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["pack_int4", "unpack_int4"]

Array = npt.NDArray[Any]

_PER_WORD = 8
_WORD = np.dtype(np.int32)
_LITTLE_ENDIAN = sys.byteorder == "little"


def pack_int4(values: Array) -> npt.NDArray[np.int32]:
    """Packs numbers from -8 to 7 along the last dimension.

    values: (..., n), n a multiple of 8, any integer dtype or ml_dtypes.int4.
    Returns (..., n / 8) int32: number j of a row is in bits 4 * (j % 8) to 4 * (j % 8) + 3 of word
    j // 8. Raises ValueError for another n or a number that does not fit into 4 bits, TypeError if
    the values are not integers.
    """
    if not isinstance(values, np.ndarray) or not _holds_integers(values.dtype):
        raise TypeError(f"values: expected an array of integers, got {_kind_of(values)}")
    if values.ndim == 0 or values.shape[-1] % _PER_WORD:
        raise ValueError(
            f"values: expected a last dimension that is a multiple of {_PER_WORD}, "
            f"got shape {values.shape}"
        )
    small = values.astype(np.int8)
    if values.size and ((small != values).any() or small.min() < -8 or small.max() > 7):
        wide = values.astype(np.int64)
        raise ValueError(f"values: expected -8 to 7, got {wide.min()} to {wide.max()}")
    nibbles = small.view(np.uint8) & 0xF
    packed = np.ascontiguousarray(nibbles[..., 0::2] | (nibbles[..., 1::2] << 4))
    words: npt.NDArray[np.int32] = packed.view(_WORD if _LITTLE_ENDIAN else _WORD.newbyteorder())
    return words.astype(np.int32, copy=False)


def unpack_int4(packed: npt.NDArray[np.int32]) -> npt.NDArray[np.int8]:
    """Returns the 4-bit numbers in words that `pack_int4` made.

    packed: (..., n) int32.   Returns (..., 8 * n) int8. Raises TypeError for another dtype.
    """
    if not isinstance(packed, np.ndarray) or packed.dtype != _WORD:
        raise TypeError(f"packed: expected an array of int32, got {_kind_of(packed)}")
    if packed.ndim == 0:
        raise ValueError("packed: expected at least one dimension, got a scalar")
    words = np.ascontiguousarray(packed if _LITTLE_ENDIAN else packed.byteswap())
    pairs = words.view(np.int8)
    values = np.empty((*pairs.shape[:-1], 2 * pairs.shape[-1]), np.int8)
    values[..., 0::2] = (pairs << 4) >> 4  # the arithmetic shift extends the sign
    values[..., 1::2] = pairs >> 4
    return values


def _holds_integers(dtype: np.dtype[Any]) -> bool:
    return dtype.kind in "iu" or dtype.name == "int4"


def _kind_of(value: Any) -> str:
    return f"{value.dtype} array" if isinstance(value, np.ndarray) else type(value).__name__
