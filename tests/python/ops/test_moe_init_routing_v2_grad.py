# SPDX-License-Identifier: Apache-2.0
"""Compares MoeInitRoutingV2Grad on the twin with its golden: modes, dtypes, shapes and values."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cannery
from cannery import golden
from cannery.testing import assert_close, normal, with_strides

Array = npt.NDArray[Any]

DTYPES = {"float16": np.float16, "bfloat16": ml_dtypes.bfloat16, "float32": np.float32}

#: Shapes: (tokens, K, H).
SHAPES = [
    *[(23, k, 40) for k in (1, 2, 3, 6, 8, 64, 128, 129)],
    *[(5, 3, h) for h in (1, 8, 15, 16, 17, 5120, 7168, 7169, 20000)],
    (1, 1, 1),
    (1, 8, 7168),  # one token, so blocks share its columns
    (97, 2, 256),  # two rows for each of 48 cores, and one more
    (3, 8, 20001),  # rows in several parts, the last one shorter
    (7, 200, 3000),  # a token has more rows than fit into UB
    (2, 3000, 5),  # a token has more indices than fit into UB
    (3000, 1, 3),  # many short rows in a tile
    (8, 2, 5120),
    (4096, 40, 8),
]


def make(tokens: int, slots: int, columns: int, dtype: Any, seed: int = 0) -> tuple[Array, Array]:
    """Returns rows of a dropless call, and a random index for each copy of a token."""
    rng = np.random.default_rng(seed)
    rows = normal(rng, (tokens * slots, columns), dtype)
    return rows, rng.permutation(tokens * slots).astype(np.int32)


def check(rows: Array, index: Array, top_k: int, mode: int = 0, active: int = 0) -> Array:
    """Returns the operator's result, after a check that it agrees with the float64 golden."""
    before = rows.tobytes(), index.tobytes()
    got = cannery.moe_init_routing_v2_grad(rows, index, top_k, mode, active)
    assert got.dtype == rows.dtype
    assert got.flags.c_contiguous
    assert before == (rows.tobytes(), index.tobytes())
    want = golden.moe_init_routing_v2_grad(rows, index, top_k, mode, active)
    scale = golden.moe_init_routing_v2_grad_scale(rows, index, top_k)
    assert_close(got, want, rows.dtype, scale)
    return got


@pytest.mark.smoke
@pytest.mark.parametrize("name", DTYPES)
def test_worked_examples(name: str) -> None:
    rows = np.arange(1, 13).reshape(6, 2).astype(DTYPES[name])
    index = np.array([4, 1, 5, 3, 0, 2], np.int32)
    dropless = check(rows, index, 2)
    assert dropless.tolist() == [[12, 14], [18, 20], [6, 8]]
    active = check(rows[:4], index, 2, 0, 4)
    assert active.tolist() == [[3, 4], [7, 8], [6, 8]]
    index = np.array([0, 2, -1, 3, 1, -1], np.int32)
    drop_pad = check(rows[:4].reshape(2, 2, 2), index, 2, 1)
    assert drop_pad.tolist() == [[6, 8], [7, 8], [3, 4]]


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_shapes(shape: tuple[int, int, int], name: str) -> None:
    check(*make(*shape, DTYPES[name]), shape[1])


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("slots", [1, 2, 8, 30])
def test_active(slots: int, name: str) -> None:
    tokens, columns = 61, 130
    rows, index = make(tokens, slots, columns, DTYPES[name])
    for active in (1, 40, tokens * slots - 1, tokens * slots):
        check(rows[:active], index, slots, 0, active)
    more = np.concatenate([rows, rows])
    check(more, index, slots, 0, len(more))


def test_public_active_and_drop_pad_shapes() -> None:
    rows, index = make(10, 64, 512, np.float32)
    check(rows[:40], index, 64, 0, 40)
    rng = np.random.default_rng(4)
    experts = normal(rng, (10, 8, 512), ml_dtypes.bfloat16)
    places = np.full(80 * 8, -1, np.int32)
    places[rng.permutation(640)[:80]] = rng.permutation(80)
    check(experts, places, 8, 1)


@pytest.mark.parametrize("name", DTYPES)
def test_last_active_row_counts_and_the_one_behind_it_does_not(name: str) -> None:
    rows = np.arange(1, 7).reshape(6, 1).astype(DTYPES[name])
    index = np.array([3, 4, 5, 3, 4, 4], np.int32)
    got = check(rows[:4], index, 2, 0, 4)
    assert got.tolist() == [[4], [4], [0]]


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("slots", [1, 2, 9])
def test_tokens_without_a_row_become_positive_zeros(slots: int, name: str) -> None:
    rows, _ = make(50, slots, 77, DTYPES[name])
    got = check(rows, np.full(50 * slots, -1, np.int32), slots)
    assert got.tobytes() == bytes(got.nbytes)


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("shape", [(0, 5, 33), (4, 0, 33), (0, 0, 33)], ids=str)
def test_no_rows_at_all(shape: tuple[int, int, int], name: str) -> None:
    rows = np.zeros(shape, DTYPES[name])
    for index in (np.full(12, -1, np.int32), np.arange(12, dtype=np.int32)):
        got = check(rows, index, 3, 1)
        assert got.tobytes() == bytes(4 * 33 * rows.itemsize)


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("slots", [1, 2, 8, 129])
def test_nan_of_skipped_rows_stays_out(slots: int, name: str) -> None:
    tokens, columns = 37, 50
    rows, index = make(tokens, slots, columns, DTYPES[name])
    kept = tokens * slots // 2 + 1
    rows[kept:] = np.nan
    index[index >= kept] = -1
    assert not np.isnan(check(rows, index, slots).astype(np.float32)).any()


@pytest.mark.parametrize("name", DTYPES)
def test_nan_and_infinity_propagate(name: str) -> None:
    rows = np.array([[np.nan], [1], [np.inf], [-np.inf], [2]], DTYPES[name])
    index = np.array([0, 1, 2, 1, 2, 3, 3, 4, 1, 4], np.int32)
    got = check(rows, index, 2, 0, 5)
    np.testing.assert_array_equal(
        got.astype(np.float32), [[np.nan], [np.inf], [np.nan], [-np.inf], [3]]
    )


@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
def test_float16_sums_beyond_its_range_become_infinite() -> None:
    rows = np.array([[60000, -40000, 65504], [60000, -40000, 16], [-60000, 40000, -65504]])
    got = check(rows.astype(np.float16), np.array([0, 1, 2, 0, 1, -1], np.int32), 3, 0, 3)
    # Sums are float32, so a sum may leave the range of float16 and come back.
    assert got.tolist() == [[60000, -40000, 16], [np.inf, -np.inf, np.inf]]


def ulp(values: Array) -> Array:
    """Returns the distance from each number to the next larger one of its dtype."""
    plain = np.abs(values)
    bits = plain.view(f"u{plain.itemsize}")
    above = (bits + 1).astype(bits.dtype).view(plain.dtype)
    return above.astype(np.float64) - plain.astype(np.float64)


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
@pytest.mark.parametrize("slots", [2, 6, 8, 64])
def test_cancelling_rows_are_off_by_one_unit_at_most(slots: int, name: str) -> None:
    rows, index = make(40, slots, 300, DTYPES[name], seed=slots)
    half = slots // 2
    by_token = index.reshape(40, slots)
    rows[by_token[:, half : 2 * half]] = -rows[by_token[:, :half]]
    leftover = normal(np.random.default_rng(9), (40, 300), DTYPES[name])
    rows[by_token[:, 0]] += leftover * DTYPES[name](2**-6)
    got = check(rows, index, slots)
    want = golden.moe_init_routing_v2_grad(rows, index, slots).astype(got.dtype)
    error = np.abs(got.astype(np.float64) - want.astype(np.float64))
    assert np.all(error <= ulp(want))


@pytest.mark.parametrize("name", DTYPES)
def test_pairs_of_opposite_rows_cancel_to_zero(name: str) -> None:
    half, _ = make(30, 4, 65, DTYPES[name])
    rows = np.concatenate([half, -half])
    index = np.stack([np.arange(120), np.arange(120) + 120], 1).reshape(-1).astype(np.int32)
    assert not check(rows, index, 2).any()


@pytest.mark.parametrize("name", DTYPES)
def test_one_row_for_all_slots(name: str) -> None:
    rows, index = make(20, 6, 31, DTYPES[name])
    check(rows, np.zeros_like(index), 6)
    check(rows, index // 6, 6)


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("slots", [1, 8])
def test_one_slot_keeps_every_bit(slots: int, name: str) -> None:
    bits = np.arange(65536, dtype=np.uint16)
    values = bits.view(DTYPES[name]) if name != "float32" else bits.astype(np.uint32) << 16
    rows = values.view(DTYPES[name]).reshape(256, 256)
    index = np.full((256, slots), -1, np.int32)
    index[:, slots // 2] = np.arange(256)
    got = cannery.moe_init_routing_v2_grad(rows, index.reshape(-1), slots, 0, 256)
    if slots == 1:
        assert got.tobytes() == rows.tobytes()
    else:
        np.testing.assert_array_equal(got.astype(np.float32), rows.astype(np.float32))


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("columns", [3, 3000])  # several tokens in a tile; one token
@pytest.mark.parametrize("slots", [3, 8])
def test_a_sum_of_minus_zeros_is_minus_zero_only_without_skipped_slots(
    slots: int, columns: int, name: str
) -> None:
    rows = np.full((slots, columns), -0.0, DTYPES[name])
    index = np.full((slots + 1, slots), -1, np.int32)
    for token in range(slots + 1):  # this many slots of the token exist
        index[token, slots - token :] = np.arange(token)
    got = cannery.moe_init_routing_v2_grad(rows, index.reshape(-1), slots, 0, slots)
    assert np.signbit(got.astype(np.float32)).all(1).tolist() == [False] * slots + [True]
    assert not got.any()


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("slots", [2, 3, 8, 9])
def test_few_rows_give_the_same_bits_as_rows_with_zeros(slots: int, name: str) -> None:
    tokens, columns = 60, 3000
    rows, index = make(tokens, slots, columns, DTYPES[name])
    count = np.random.default_rng(6).integers(0, slots + 1, tokens)
    skipped = np.random.default_rng(7).permuted(np.arange(slots) >= count[:, None], axis=1)
    by_token = np.where(skipped, np.int32(-1), index.reshape(tokens, slots))
    got = check(rows, by_token.reshape(-1), slots)
    # Rows of zeros in place of the skipped ones: all slots exist.
    more = np.concatenate([rows, np.zeros((1, columns), rows.dtype)])
    filled = np.where(skipped, np.int32(len(rows)), by_token).reshape(-1)
    want = check(more, filled, slots, 0, len(more))
    assert got.tobytes() == want.tobytes()


@pytest.mark.parametrize("seed", range(6))
def test_any_index_values(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tokens, slots, columns = 50, (1, 2, 5, 8, 33, 130)[seed], 70
    rows, _ = make(tokens, slots, columns, ml_dtypes.bfloat16, seed)
    index = rng.integers(-(2**31), 2**31, tokens * slots, dtype=np.int64).astype(np.int32)
    near = rng.random(index.size) < 0.5
    index[near] = rng.integers(-3, len(rows) + 3, int(near.sum()))
    index[:4] = [-(2**31), 2**31 - 1, len(rows), -1][: len(index[:4])]
    check(rows, index, slots)


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("shape", [(67, 6, 333), (3, 12, 7169), (500, 3, 20), (9, 129, 600)])
def test_every_chip_gives_the_same_bits(shape: tuple[int, int, int], name: str) -> None:
    rows, index = make(*shape, DTYPES[name])
    index[::7] = -1
    reference = check(rows, index, shape[1]).tobytes()
    for soc in cannery.settings.SOCS:
        with cannery.use(soc=soc):
            assert cannery.moe_init_routing_v2_grad(rows, index, shape[1]).tobytes() == reference


@pytest.mark.parametrize("name", DTYPES)
def test_determinism(name: str) -> None:
    rows, index = make(203, 12, 777, DTYPES[name])
    reference = check(rows, index, 12).tobytes()
    for threads in (1, 2):
        for order in (0, 1, 2, 123456789):
            with cannery.use(threads=threads, core_order=order):
                assert cannery.moe_init_routing_v2_grad(rows, index, 12).tobytes() == reference


def test_every_declared_row_and_chip_family_is_tested() -> None:
    from cannery.cli.catalog import operators

    (model,) = [each for each in operators() if each["snake"] == "moe_init_routing_v2_grad"]
    assert set(model["inputs"][0]["dtypes"]) == set(DTYPES)
    assert model["socs"] == ["ascend910b", "ascend910_93"]


@st.composite
def calls(draw: st.DrawFn) -> tuple[Array, Array, int, int, int]:
    """Draws calls of all three modes, with rows of any size and layout. Some indices are out of
    range."""
    slots = draw(st.integers(1, 12))
    tokens = draw(st.integers(1, 60))
    columns = draw(st.integers(1, 400))
    mode, active, lead = 0, 0, (tokens * slots,)
    scenario = draw(st.sampled_from(["dropless", "active", "drop_pad"]))
    if scenario == "active":
        active = draw(st.integers(1, 2 * tokens * slots))
        lead = (active,)
    elif scenario == "drop_pad":
        mode, active = 1, draw(st.integers(0, 5))
        lead = (draw(st.integers(0, 8)), draw(st.integers(0, 20)))  # type: ignore[assignment]
    dtype = DTYPES[draw(st.sampled_from(sorted(DTYPES)))]
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    rows = normal(rng, (*lead, columns), dtype)
    if rows.size and draw(st.booleans()):
        order = tuple(draw(st.permutations(range(rows.ndim))))
        rows = with_strides(rows, order, tuple(draw(st.integers(1, 3)) for _ in order))
    index = rng.integers(-2, int(np.prod(lead)) + 2, tokens * slots).astype(np.int32)
    if draw(st.booleans()):
        index = with_strides(index, (0,), (draw(st.integers(2, 5)),))
    return rows, index, slots, mode, active


@given(calls())
def test_random_calls(call: tuple[Array, Array, int, int, int]) -> None:
    check(*call)


@pytest.mark.release
@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("seed", range(4))
def test_large_random_calls(name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(3):
        slots = int(rng.integers(1, 300))
        tokens = int(rng.integers(1, 1 + 30000 // slots))
        columns = int(rng.integers(1, 3000))
        rows, index = make(tokens, slots, columns, DTYPES[name], seed)
        index[rng.random(index.size) < rng.random()] = -1
        check(rows, index, slots)


@pytest.mark.release
def test_offsets_beyond_32_bits() -> None:
    """Rows are found beyond 4 GiB. The array has 8.6 GB, of which the test writes a few rows."""
    columns, last = 8192, 2**19
    rows = np.zeros((last + 1, columns), np.float16)
    for place, row in enumerate((0, 2**18 - 1, 2**18, last)):
        rows[row] = np.arange(columns) % 1000 + place
    index = np.array([last, 0, 2**18, 2**18 - 1, last + 1, -1, 5, last], np.int32)
    got = cannery.moe_init_routing_v2_grad(rows, index, 2, 0, last + 1)
    base = np.arange(columns) % 1000
    np.testing.assert_array_equal(got, [2 * base + 3, 2 * base + 3, 0 * base, base + 3])
