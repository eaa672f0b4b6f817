# SPDX-License-Identifier: Apache-2.0
"""Compares the golden of GroupedMatmulFinalizeRouting with a worked example and with a simple loop
over all elements."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cannery import golden, pack_int4

WEIGHTS = np.array(
    [
        [
            [1, -1, 2, -2, 3, -3, 7, -8],
            [0, 1, 0, -1, 2, -2, 4, -4],
            [5, 5, 5, 5, -5, -5, -5, -5],
            [-8, 7, -6, 5, -4, 3, -2, 1],
        ],
        [
            [1, 0, 0, 0, 0, 0, 0, -1],
            [0, 1, 0, 0, 0, 0, -1, 0],
            [0, 0, 1, 0, 0, -1, 0, 0],
            [0, 0, 0, 1, -1, 0, 0, 0],
        ],
    ]
)
FACTORS = np.array([[0.5, 0.25, 0.125, 0.5, 0.5, 0.5, 0.0625, 1], [1, 1, 1, 1, 0.5, 0.5, 0.5, 0.5]])
RESULT = [
    [8.5, 9, -7.5, -63, 33, 5.25, -3, -2.75],
    [113.25, -27.125, 17.6875, -26.75, 24.5, -39.75, 8.53125, -253.25],
    [0] * 8,
]


def scale_words(factors: Any) -> Any:
    bits = np.asarray(factors, np.float32).view(np.uint32)
    return bits.astype(np.int64)[:, None]


def example(**changes: Any) -> dict[str, Any]:
    arguments = {
        "x": np.array([[100, -100, 7, -8], [15, 16, -17, -128], [127, 1, 0, -1]], np.int8),
        "w": pack_int4(WEIGHTS),
        "scale": scale_words(FACTORS),
        "bias": (8 * WEIGHTS.sum(1) * FACTORS).astype(np.float32),
        "pertoken_scale": np.array([1, 0.5, 2], np.float32),
        "group_list": np.array([1, 2]),
        "shared_input": np.full((1, 8), 2, ml_dtypes.bfloat16),
        "logit": np.array([0.5, 1, 0.25], np.float32),
        "row_index": np.array([1, 0, 1]),
        "output_bs": 3,
        "shared_input_weight": 0.5,
    }
    return {**arguments, **changes}


def naive(
    x: Any, w: Any, scale: Any, bias: Any, pertoken_scale: Any, group_list: Any, shared_input: Any,
    logit: Any, row_index: Any, *, output_bs: int, shared_input_weight: float = 1.0,
    shared_input_offset: int = 0, group_list_type: int = 1,
) -> tuple[Any, Any]:  # fmt: skip
    """Returns (exact result, bound), computed with Python's numbers, one element after another."""
    experts, columns = bias.shape
    y = np.zeros((output_bs, columns))
    y[shared_input_offset : shared_input_offset + len(shared_input)] = shared_input.astype(
        np.float64
    ) * float(np.float32(shared_input_weight))
    bound = np.abs(y) * 2.0**-20
    first = 0
    for expert in range(experts):
        count = int(group_list[expert])
        if group_list_type == 0 and expert > 0:
            count -= int(group_list[expert - 1])
        for row in range(first, min(first + max(count, 0), len(x))):
            target, factor = int(row_index[row]), float(pertoken_scale[row]) * float(logit[row])
            for column in range(columns if 0 <= target < output_bs else 0):
                s = np.uint32(int(scale[expert, 0, column]) & 0xFFFFE000).view(np.float32)
                digits = [divmod(int(v) + 128, 16) for v in x[row]]
                weights = [int(v) for v in w[expert, :, column]]
                high = sum((digit - 8) * v for (digit, _), v in zip(digits, weights, strict=True))
                low = sum((digit - 8) * v for (_, digit), v in zip(digits, weights, strict=True))
                z = (16 * high + low) * float(s) + float(bias[expert, column])
                y[target, column] += factor * z
                rounding = (16 * abs(high) + abs(low)) * abs(float(s)) * 2.0**-11 * 1.25
                bound[target, column] += abs(factor) * (rounding + 2.0**-20 * abs(z))
        first += max(count, 0)
    return y, bound


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("lists", [(1, [1, 2]), (0, [1, 3])])
@pytest.mark.parametrize("packed", [True, False])
def test_worked_example(precision: Any, lists: Any, packed: bool) -> None:
    arguments = example(group_list=np.array(lists[1]), group_list_type=lists[0])
    if not packed:
        arguments["w"] = WEIGHTS.astype(np.int8)
    got = golden.grouped_matmul_finalize_routing(**arguments, precision=precision)
    assert got.dtype == precision
    assert got.tolist() == RESULT


def test_words_of_the_worked_example() -> None:
    words = pack_int4(WEIGHTS).view(np.uint32)[..., 0]
    assert [hex(v) for v in words[0]] == ["0x87d3e2f1", "0xc4e2f010", "0xbbbb5555", "0x1e3c5a78"]
    assert [hex(v) for v in words[1]] == ["0xf0000001", "0xf000010", "0xf00100", "0xf1000"]
    assert scale_words([[0.5, 0.25]]).tolist() == [[[1056964608, 1048576000]]]


@given(st.data())
def test_agrees_with_a_naive_loop(data: st.DataObject) -> None:
    experts, rows, k = (data.draw(st.integers(1, high)) for high in (4, 7, 9))
    columns, tokens = 8 * data.draw(st.integers(1, 2)), data.draw(st.integers(1, 5))
    kind = data.draw(st.sampled_from([0, 1]))
    counts = np.array(data.draw(st.lists(st.integers(-1, 4), min_size=experts, max_size=experts)))
    groups = counts if kind == 1 else np.cumsum(np.maximum(counts, 0))
    shared = data.draw(st.integers(0, tokens))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    weights = rng.integers(-8, 8, (experts, k, columns))
    arguments = {
        "x": rng.integers(-128, 128, (rows, k)).astype(np.int8),
        "scale": scale_words(rng.standard_normal((experts, columns))) | (rng.integers(0, 2) << 46),
        "bias": rng.standard_normal((experts, columns)).astype(np.float32),
        "pertoken_scale": rng.standard_normal(rows).astype(np.float32),
        "group_list": groups,
        "shared_input": rng.standard_normal((shared, columns)).astype(ml_dtypes.bfloat16),
        "logit": rng.standard_normal(rows).astype(np.float32),
        "row_index": rng.integers(-1, tokens + 1, rows),
        "output_bs": tokens,
        "shared_input_weight": data.draw(st.sampled_from([0.0, 1.0, 0.3, -1.0])),
        "shared_input_offset": data.draw(st.integers(0, tokens - shared)),
        "group_list_type": kind,
    }
    want, bound = naive(w=weights, **arguments)
    packed = pack_int4(weights)
    exact, limits = golden.grouped_matmul_finalize_routing_bounded(w=packed, **arguments)
    np.testing.assert_allclose(exact, want, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(limits, bound, rtol=1e-5)
    alone = golden.grouped_matmul_finalize_routing(w=weights.astype(np.int8), **arguments)
    assert np.array_equal(alone, exact)
    model = golden.grouped_matmul_finalize_routing(w=packed, **arguments, precision="float32")
    # Each result is made of two sums, rounded to float16. Near 0, a sum may be off by 2**-25.
    tiny = 17 * 2.0**-25 * (np.abs(arguments["pertoken_scale"] * arguments["logit"])).sum()
    assert (np.abs(model - exact) <= limits + tiny).all()


def test_float32_rounds_each_digit_to_float16() -> None:
    x = np.array([[16 * 7 + 8 - 1, -128 + 8]], np.int8)  # int4 digits (7, -1) and (-8, 0)
    weights = np.zeros((1, 2, 8), np.int8)
    weights[0, :, 0] = [7, 0]
    factor = np.float32(1 + 2**-10 + 2**-20)  # the quantisation word has no bit 2^-20
    arguments = example(
        x=x, w=weights, scale=scale_words(np.full((1, 8), factor)),
        bias=np.zeros((1, 8), np.float32),
        group_list=np.array([1]), pertoken_scale=np.ones(1, np.float32),
        logit=np.ones(1, np.float32), row_index=np.array([0]), output_bs=1,
        shared_input=np.zeros((1, 8), ml_dtypes.bfloat16),
    )  # fmt: skip
    multiplier = 1 + 2**-10
    exact = golden.grouped_matmul_finalize_routing(**arguments)
    model = golden.grouped_matmul_finalize_routing(**arguments, precision="float32")
    high, low = np.float16(7 * 7 * multiplier), np.float16(-7 * multiplier)
    assert exact[0, 0] == (16 * 7 * 7 - 7) * multiplier
    assert model[0, 0] == 16 * float(high) + float(low)
    assert model[0, 0] != exact[0, 0]


def test_float32_saturates_float16() -> None:
    arguments = example(scale=scale_words(np.full((2, 8), 1e6)))
    model = golden.grouped_matmul_finalize_routing(**arguments, precision="float32")
    assert np.isfinite(model).all()


@pytest.mark.release
def test_blocks_do_not_show() -> None:
    """Results are right for more rows and columns than a block of the golden's loop has."""
    rng = np.random.default_rng(5)
    rows, k, columns = 1100, 18432, 2000
    weights = rng.integers(-8, 8, (1, k, columns)).astype(np.int8)
    x = np.zeros((rows, k), np.int8)
    x[np.arange(rows), rng.integers(0, k, rows)] = rng.integers(-128, 128, rows)
    arguments = example(
        x=x, w=pack_int4(weights), scale=scale_words(np.full((1, columns), 0.5)),
        bias=(4 * weights.sum(1, dtype=np.int64)).astype(np.float32), group_list=np.array([rows]),
        pertoken_scale=np.ones(rows, np.float32), logit=np.ones(rows, np.float32),
        row_index=np.arange(rows)[::-1], output_bs=rows,
        shared_input=np.zeros((1, columns), ml_dtypes.bfloat16),
    )  # fmt: skip
    got = golden.grouped_matmul_finalize_routing(**arguments)
    at = np.argmax(x != 0, axis=1)
    want = x[np.arange(rows), at].astype(np.float64)[:, None] * weights[0, at] * 0.5
    assert np.array_equal(got, want[::-1])


def test_refuses_what_it_cannot_compute() -> None:
    with pytest.raises(ValueError, match="precision"):
        golden.grouped_matmul_finalize_routing(**example(), precision="float16")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="group_list_type"):
        golden.grouped_matmul_finalize_routing(**example(), group_list_type=2)
