# SPDX-License-Identifier: Apache-2.0
"""Compares the golden with examples computed by hand, and with the gradient of the gather."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from cannery import golden

ROWS = np.arange(1, 13).reshape(6, 2)
INDEX = np.array([4, 1, 5, 3, 0, 2], np.int32)

#: Cases: rows, indices, drop_pad_mode, active_num, and the result for top_k 2.
WORKED = {
    "dropless": (ROWS, INDEX, 0, 0, [[12, 14], [18, 20], [6, 8]]),
    "active": (ROWS[:4], INDEX, 0, 4, [[3, 4], [7, 8], [6, 8]]),
    "drop_pad": (
        ROWS[:4].reshape(2, 2, 2),
        np.array([0, 2, -1, 3, 1, -1], np.int32),
        1,
        0,
        [[6, 8], [7, 8], [3, 4]],
    ),
}


@pytest.mark.parametrize("scenario", WORKED)
@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32])
@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_worked_examples(precision: Any, dtype: Any, scenario: str) -> None:
    rows, index, mode, active, expected = WORKED[scenario]
    got = golden.moe_init_routing_v2_grad(
        rows.astype(dtype), index, 2, mode, active, precision=precision
    )
    assert got.dtype == (np.float64 if precision == "float64" else dtype)
    np.testing.assert_array_equal(got.astype(np.float64), expected)


def test_is_the_gradient_of_copying_tokens_to_rows() -> None:
    rng = np.random.default_rng(1)
    tokens, slots, columns = 7, 3, 5
    place = rng.permutation(tokens * slots)
    # The forward function rows[place[i]] = x[i // slots] is linear; its gradient is its transpose.
    copies = np.zeros((tokens * slots, tokens))
    copies[place, np.arange(tokens * slots) // slots] = 1
    gradient = rng.standard_normal((tokens * slots, columns))
    got = golden.moe_init_routing_v2_grad(gradient, place.astype(np.int32), slots)
    np.testing.assert_allclose(got, copies.T @ gradient)


def test_rows_outside_are_skipped_and_duplicates_count_twice() -> None:
    rows = np.array([[1.0], [np.nan]])
    index = np.array([0, -1, 0, 0, 2, 2**31 - 1, -(2**31), 1], np.int32)
    got = golden.moe_init_routing_v2_grad(rows, index, 2)
    np.testing.assert_array_equal(got, [[1], [2], [0], [np.nan]])
    empty = golden.moe_init_routing_v2_grad(np.zeros((0, 4, 3)), index, 4)
    np.testing.assert_array_equal(empty, np.zeros((2, 3)))


def test_float32_sums_slot_after_slot() -> None:
    rows = np.array([[2**24], [1], [1], [-(2**24)]], np.float32)
    index = np.arange(4, dtype=np.int32)
    assert golden.moe_init_routing_v2_grad(rows, index, 4, precision="float32") == 0
    assert golden.moe_init_routing_v2_grad(rows, index, 4) == 2
    assert golden.moe_init_routing_v2_grad_scale(rows, index, 4) == 2**25 + 2


@pytest.mark.parametrize("block", [1, 7, 64])
def test_blocks_do_not_change_the_result(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    rng = np.random.default_rng(3)
    rows = rng.standard_normal((36, 11))
    index = rng.integers(-5, 40, 36).astype(np.int32)
    whole = golden.moe_init_routing_v2_grad(rows, index, 4)
    module = sys.modules["cannery.golden.moe_init_routing_v2_grad"]
    monkeypatch.setattr(module, "_BLOCK_ELEMS", block)
    np.testing.assert_array_equal(golden.moe_init_routing_v2_grad(rows, index, 4), whole)


def test_out_dtype_skips_the_last_rounding() -> None:
    rows = np.full((2, 1), 60000, np.float16)
    index = np.arange(2, dtype=np.int32)
    wide = golden.moe_init_routing_v2_grad(
        rows, index, 2, precision="float32", out_dtype=np.float32
    )
    assert wide.dtype == np.float32
    assert wide == 120000
    assert np.isinf(golden.moe_init_routing_v2_grad(rows, index, 2, precision="float32"))


def test_refuses_what_it_cannot_compute() -> None:
    index = np.zeros(6, np.int32)
    with pytest.raises(ValueError, match="precision"):
        golden.moe_init_routing_v2_grad(ROWS, index, 2, precision="float16")  # type: ignore[arg-type]
    for slots in (0, -1, 4):
        with pytest.raises(ValueError, match="expanded_row_idx"):
            golden.moe_init_routing_v2_grad(ROWS, index, slots)
    with pytest.raises(ValueError, match="expanded_row_idx"):
        golden.moe_init_routing_v2_grad(ROWS, index.reshape(2, 3), 2)
