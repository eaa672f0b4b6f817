# SPDX-License-Identifier: Apache-2.0
"""Tests pack_int4 and unpack_int4."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cannery import pack_int4, unpack_int4


def test_lowest_column_is_in_the_lowest_bits() -> None:
    packed = pack_int4(np.array([1, -1, 2, -2, 3, -3, 7, -8]))
    assert packed.dtype == np.int32
    assert packed.view(np.uint32).tolist() == [0x87D3E2F1]


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int64, ml_dtypes.int4])
def test_every_number_in_every_place(dtype: Any) -> None:
    values = np.array([[(i + j) % 16 - 8 for j in range(24)] for i in range(16)]).astype(dtype)
    packed = pack_int4(values)
    assert packed.shape == (16, 3)
    for i, j in np.ndindex(16, 24):
        word = int(packed[i, j // 8]) & 0xFFFFFFFF
        assert word >> (4 * (j % 8)) & 15 == int(values[i, j]) & 15
    assert np.array_equal(unpack_int4(packed), values.astype(np.int8))


@given(st.integers(0, 3), st.integers(0, 3), st.integers(0, 2**32), st.booleans())
def test_one_undoes_the_other(rows: int, words: int, seed: int, strided: bool) -> None:
    packed = np.random.default_rng(seed).integers(-(2**31), 2**31, (rows, words)).astype(np.int32)
    given_ = np.repeat(packed, 2, axis=1)[:, ::2] if strided else packed
    values = unpack_int4(given_)
    assert values.shape == (rows, 8 * words)
    assert np.array_equal(pack_int4(values), packed)
    assert np.array_equal(pack_int4(np.asfortranarray(values)), packed)


def test_unsigned_numbers_up_to_7() -> None:
    assert pack_int4(np.arange(8, dtype=np.uint8)).view(np.uint32).tolist() == [0x76543210]


@pytest.mark.parametrize("value", [8, -9, 255, 256 + 3, 2**40])
def test_numbers_that_do_not_fit(value: int) -> None:
    values = np.zeros(8, np.int64)
    values[3] = value
    with pytest.raises(ValueError, match=f"expected -8 to 7, got .*{value}"):
        pack_int4(values)


@pytest.mark.parametrize(
    ("values", "error", "word"),
    [
        (np.zeros(7, np.int8), ValueError, "multiple of 8"),
        (np.zeros((), np.int8), ValueError, "multiple of 8"),
        (np.zeros(8, np.float32), TypeError, "float32 array"),
        (np.zeros(8, np.bool_), TypeError, "bool array"),
        ([0] * 8, TypeError, "list"),
    ],
)
def test_pack_refuses(values: Any, error: type[Exception], word: str) -> None:
    with pytest.raises(error, match=word):
        pack_int4(values)


@pytest.mark.parametrize(
    ("packed", "error", "word"),
    [
        (np.zeros(8, np.int64), TypeError, "int64 array"),
        (np.zeros((), np.int32), ValueError, "scalar"),
        (None, TypeError, "NoneType"),
    ],
)
def test_unpack_refuses(packed: Any, error: type[Exception], word: str) -> None:
    with pytest.raises(error, match=word):
        unpack_int4(packed)
