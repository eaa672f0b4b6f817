# SPDX-License-Identifier: Apache-2.0
"""Compares MoeTokenPermuteWithRoutingMap on the twin with its golden, bit by bit."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cannery
from cannery.testing import strided_outputs, with_strides

from .permute_cases import DTYPES, Call, any_bits, as_int8, check, make, mask_of, same_bits

SOCS = ["Ascend910B1", "Ascend910B3", "Ascend910B4", "Ascend910_9391", "Ascend910_9362"]

#: Shapes: (T, E, k, H).
SHAPES = [
    *[(40, experts, 1, 64) for experts in (1, 2, 8, 31, 32, 33, 128, 256, 512)],
    *[(33, 8, slots, 24) for slots in (1, 2, 7, 8)],
    *[(9, 4, 2, hidden) for hidden in (1, 7, 15, 16, 17, 64, 7168, 32768, 60001)],
    (1, 1, 1, 1),
    (1, 8, 2, 7168),  # one token, so blocks share its columns
    (2, 3, 3, 30001),
    (1, 512, 512, 5),
    (60, 512, 512, 3),  # every expert for each token, the largest k
    (5, 2048, 100, 8),  # the widest map that small tiles process
    (70, 2049, 3, 8),
    (50, 4096, 8, 40),  # the widest map that fits into a tile
    (30, 4097, 8, 40),  # a map wider than a tile
    (9, 9000, 512, 6),
    (3000, 8, 2, 1),  # many short rows
    (4099, 3, 1, 5),
]

PAD_SHAPES = [
    *[(300, experts, 1, 16) for experts in (1, 2, 8, 31, 32, 33, 128)],
    *[(count, 5, 2, 8) for count in (1, 2, 31, 32, 33, 255, 256, 257, 1000)],
    *[(9, 4, 2, hidden) for hidden in (1, 17, 7168, 32768, 60001)],
    (1, 8, 8, 7168),
    (700, 512, 20, 3),
    (20, 4097, 3, 8),
    (4099, 3, 1, 5),
]


class TestExamples:
    tokens = np.array([[1, 2], [3, 4], [5, 6], [7, 8]], np.float32)
    mask = np.array([[1, 0, 1], [0, 1, 1], [1, 1, 0], [1, 0, 1]], np.int8)
    probs = np.array(
        [[0.5, 0, 0.25], [0, 0.75, 0.125], [0.375, 0.625, 0], [0.875, 0, 0.0625]], np.float32
    )

    @pytest.mark.smoke
    @pytest.mark.parametrize("name", DTYPES)
    def test_without_padding(self, name: str) -> None:
        tokens, probs = self.tokens.astype(DTYPES[name]), self.probs.astype(DTYPES[name])
        got = check(Call(tokens, self.mask, probs, 8))
        assert got[0].astype(int).tolist() == [
            *([1, 2], [5, 6], [7, 8], [3, 4], [5, 6], [1, 2], [3, 4], [7, 8])
        ]
        assert got[2].tolist() == [0, 5, 3, 6, 1, 4, 2, 7]

    @pytest.mark.smoke
    @pytest.mark.parametrize("name", DTYPES)
    @pytest.mark.parametrize(
        ("rows", "indices"), [(9, [0, 2, 3, 1, 2, 0, 0, 1, 3]), (8, [0, 2, 1, 2, 0, 1])]
    )
    def test_with_padding(self, name: str, rows: int, indices: list[int]) -> None:
        tokens, probs = self.tokens.astype(DTYPES[name]), self.probs.astype(DTYPES[name])
        got = check(Call(tokens, self.mask, probs, rows, True))
        assert got[2].tolist() == indices

    def test_all_ones(self) -> None:
        got = check(Call(np.arange(15, dtype=np.float32).reshape(3, 5), np.ones((3, 2), bool)))
        assert got[2].tolist() == [0, 3, 1, 4, 2, 5]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_shapes(shape: tuple[int, int, int, int]) -> None:
    for number, dtype in enumerate(DTYPES.values()):
        check(make(*shape, dtype, seed=number))


@pytest.mark.parametrize("shape", PAD_SHAPES, ids=str)
def test_shapes_with_padding(shape: tuple[int, int, int, int]) -> None:
    count, experts, *_ = shape
    for capacity in {1, 2, count // 2, count - 1, count}:
        if 0 < capacity <= count:
            dtype = list(DTYPES.values())[capacity % 3]
            check(make(*shape, dtype, pad=True, rows=capacity * experts))


@pytest.mark.parametrize("pad", [False, True])
class TestValues:
    def test_bool_and_int8_are_the_same(self, pad: bool) -> None:
        call = make(100, 40, 3, 20, pad=pad, rows=320)
        call.num_out_tokens = 320 if pad else 300
        want = check(call)
        call.mask = call.mask != 0
        assert all(map(same_bits, check(call), want))

    def test_bytes_of_a_bool_map(self, pad: bool) -> None:
        call = make(50, 40, 3, 20, pad=pad, rows=150)
        want = check(call)
        call.mask = call.mask.view(np.bool_)  # any byte except 0 is true
        assert all(map(same_bits, call.run(), want))

    def test_without_probs(self, pad: bool) -> None:
        call = make(70, 40, 3, 20, np.float32, pad=pad)
        want = check(call)
        call.probs = None
        got = check(call)
        assert got[1] is None
        assert same_bits(got[0], want[0])
        assert same_bits(got[2], want[2])

    def test_experts_without_tokens(self, pad: bool) -> None:
        call = make(64, 50, 4, 8, pad=pad, rows=64 * 4 if not pad else 50 * 7)
        call.mask = np.concatenate([call.mask[:, :25], np.zeros((64, 7), np.int8)], axis=1)
        call.mask[:, 20:24] = 1
        call.mask[:, :20] = 0
        call.mask[:, 24:] = 0
        call.probs = call.probs[:, :32] if call.probs is not None else None
        call.num_out_tokens = 32 * 7 if pad else 64 * 4
        check(call)

    @pytest.mark.parametrize("value", [0, 1])
    def test_one_value_everywhere(self, pad: bool, value: int) -> None:
        rng = np.random.default_rng(3)
        mask = np.full((90, 33), value, np.int8)
        tokens, probs = any_bits(rng, (90, 6), np.float16), any_bits(rng, (90, 33), np.float16)
        rows = 33 * 50 if pad else 33 * 90 * value
        check(Call(tokens, mask, probs, rows, pad))

    def test_rows_are_rounded_down(self, pad: bool) -> None:
        call = make(30, 7, 2, 9, pad=pad, rows=66)
        unit = 7 if pad else 30
        assert len(check(call)[2]) == 66 // unit * unit

    def test_strided_inputs(self, pad: bool) -> None:
        call = make(40, 35, 3, 17, np.float32, pad=pad)
        assert call.probs is not None
        for order, gaps in (((1, 0), (1, 1)), ((0, 1), (2, 3))):
            check(
                Call(
                    with_strides(call.tokens, order, gaps),
                    with_strides(call.mask, order, gaps),
                    with_strides(call.probs, order, gaps),
                    call.num_out_tokens,
                    pad,
                )
            )

    @pytest.mark.parametrize("name", DTYPES)
    @pytest.mark.parametrize(("gap", "reverse"), [(2, False), (1, True), (3, True)])
    def test_strided_outputs(self, pad: bool, name: str, gap: int, reverse: bool) -> None:
        for hidden in (1, 33, 1000):
            with strided_outputs(gap, reverse=reverse):
                check(make(50, 20, 3, hidden, DTYPES[name], pad=pad))

    def test_strided_outputs_without_probs(self, pad: bool) -> None:
        call = make(3, 4097, 3, 20, pad=pad, rows=9 if not pad else 4097)
        call.probs = None
        with strided_outputs(2):
            check(call)


@pytest.mark.parametrize(
    ("shape", "name"),
    [
        ((3200, 32, 8, 1024), "float16"),  # blocks touch pages of the output before they store
        ((10, 8, 8, 320000), "float16"),  # the same, and blocks share the columns of a token
        ((150, 8, 2, 8193), "float32"),  # rows that do not fit into a buffer
        ((2000, 64, 4, 64), "float16"),  # short rows
    ],
)
def test_explicit_order_of_accesses(shape: tuple[int, int, int, int], name: str) -> None:
    with cannery.use(hazards="explicit"):
        check(make(*shape, DTYPES[name]))


@pytest.mark.parametrize("pad", [False, True])
def test_no_result(pad: bool) -> None:
    """Calls with an empty result succeed. With H = 0, probs are 0 and indices are -1."""
    got = make(30, 7, 1, 9, pad=pad, rows=6).run()
    assert got[0].shape == (0, 9)
    assert got[2].shape == (0,)
    for count, experts in ((0, 5), (5, 0), (0, 0)):
        got = check(make(count, experts, 0, 9, pad=pad, rows=0))
        assert got[0].shape == (0, 9)
    tokens, probs, indices = make(6, 5, 2, 0, pad=pad, rows=30 if pad else 12).run()
    rows = 30 if pad else 12
    assert tokens.shape == (rows, 0)
    assert probs is not None
    assert probs.astype(float).tolist() == [0] * rows
    assert indices.tolist() == [-1] * rows


def test_every_routed_token_by_default() -> None:
    call = make(30, 7, 2, 9)
    call.num_out_tokens = None
    assert len(check(call)[2]) == 60


@pytest.mark.parametrize("pad", [False, True])
def test_same_bits_on_every_chip_and_schedule(pad: bool) -> None:
    for call in (make(203, 77, 5, 100, np.float32, pad=pad), make(3, 9000, 5, 3000, pad=pad)):
        want = check(call)
        for soc in SOCS:
            with cannery.use(soc=soc):
                assert all(map(same_bits, call.run(), want)), soc
        for threads in (1, 2):
            for order in (0, 1, 123456789):
                with cannery.use(threads=threads, core_order=order):
                    assert all(map(same_bits, call.run(), want))


class TestBrokenPrecondition:
    """If a map has not k experts for each token, no access is out of bounds and all elements are
    written."""

    def check_bounds(self, call: Call) -> None:
        with strided_outputs(1):
            first = call.run()
        tokens, probs, indices = call.run()
        assert all(map(same_bits, first, (tokens, probs, indices)))
        rows = len(indices)
        assert ((indices >= -1) & (indices < rows)).all()
        pairs = [(t, e) for e in range(call.mask.shape[1]) for t in np.flatnonzero(call.mask[:, e])]
        for row in range(rows):  # rows of the routed pairs, then zeros
            want = call.tokens[pairs[row][0]] if row < len(pairs) else np.zeros_like(tokens[row])
            assert same_bits(tokens[row], want)
            if probs is not None and call.probs is not None:
                weight = call.probs[pairs[row]] if row < len(pairs) else probs.dtype.type(0)
                assert probs[row].tobytes() == weight.tobytes()
        slots = rows // len(call.tokens)
        for token, ones in enumerate(call.mask != 0):
            mine = indices[token * slots : (token + 1) * slots]
            targets = [pairs.index((token, e)) for e in np.flatnonzero(ones)][:slots]
            filled = [target if target < rows else -1 for target in targets]
            assert mine.tolist() == filled + [-1] * (slots - len(filled))

    @pytest.mark.parametrize("rows", [60, 120, 400])
    @pytest.mark.parametrize("name", DTYPES)
    def test_random_maps(self, name: str, rows: int) -> None:
        rng = np.random.default_rng(rows)
        mask = as_int8(rng, rng.random((20, 30)) < 0.2)
        tokens = any_bits(rng, (20, 40), DTYPES[name])
        self.check_bounds(Call(tokens, mask, any_bits(rng, (20, 30), DTYPES[name]), rows))

    def test_the_right_number_in_the_wrong_places(self) -> None:
        call = make(20, 30, 2, 8)
        call.mask[3], call.mask[4] = 0, 0
        call.mask[3, :4] = 1
        self.check_bounds(call)

    @pytest.mark.parametrize("value", [0, 1])
    def test_one_value_everywhere(self, value: int) -> None:
        call = make(20, 30, 2, 8)
        call.mask[...] = value
        self.check_bounds(call)

    def test_wider_than_a_tile(self) -> None:
        call = make(5, 5000, 40, 8)
        call.mask[2, :3000] = 1
        call.mask[4] = 0
        self.check_bounds(call)

    @pytest.mark.release
    def test_more_ones_than_float32_counts(self) -> None:
        """More than 2^24 ones in the map do not change memory after the output."""
        mask = np.ones((4200, 4000), np.int8)
        tokens = any_bits(np.random.default_rng(0), (4200, 2), np.float32)
        got, _, indices = Call(tokens, mask, None, 4200 * 2).run()
        assert same_bits(got[:4200], tokens)
        assert same_bits(got[4200:], tokens)
        assert indices.tolist() == [row for t in range(4200) for row in (t, 4200 + t)]


def test_every_declared_row_and_chip_family_is_tested() -> None:
    from cannery.cli.catalog import operators

    (model,) = [
        each for each in operators() if each["snake"] == "moe_token_permute_with_routing_map"
    ]
    tokens, mask = (each["dtypes"] for each in model["inputs"][:2])
    declared = list(zip(tokens, mask, strict=True))
    assert sorted(declared) == sorted((name, kind) for name in DTYPES for kind in ("bool", "int8"))
    assert model["socs"] == ["ascend910b", "ascend910_93"]


@st.composite
def calls(draw: st.DrawFn) -> Call:
    """Draws calls with any sizes, layouts and bits."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    count, experts = draw(st.integers(1, 80)), draw(st.integers(1, 80))
    slots = draw(st.integers(0, experts))
    dtype = DTYPES[draw(st.sampled_from(sorted(DTYPES)))]
    pad = draw(st.booleans())
    mask = mask_of(rng, count, experts, slots)
    if pad:
        mask = rng.random((count, experts)) < draw(st.floats(0, 1))
    arrays: list[Any] = [
        any_bits(rng, (count, draw(st.integers(1, 600))), dtype),
        mask if draw(st.booleans()) else as_int8(rng, mask),
        any_bits(rng, (count, experts), dtype) if draw(st.booleans()) else None,
    ]
    for i, array in enumerate(arrays):
        if array is not None and draw(st.booleans()):
            order = tuple(draw(st.permutations(range(2))))
            arrays[i] = with_strides(array, order, (draw(st.integers(1, 3)), 1))
    rest = draw(st.integers(0, count - 1))
    rows = draw(st.integers(0, count * experts)) if pad else slots * count + rest
    return Call(*arrays, min(rows, count * experts), pad)


@given(calls(), st.sampled_from([None, (1, False), (2, False), (2, True)]))
def test_random_calls(call: Call, layout: tuple[int, bool] | None) -> None:
    if layout is None:
        check(call)
        return
    with strided_outputs(layout[0], reverse=layout[1]):
        check(call)


@pytest.mark.release
@pytest.mark.xdist_group("gigabytes")
@pytest.mark.parametrize("pad", [False, True])
def test_many_tokens_and_real_models(pad: bool) -> None:
    for shape in ((40000, 64, 4, 64), (100003, 8, 2, 8), (2000, 256, 8, 7168)):
        check(make(*shape, ml_dtypes.bfloat16, pad=pad))
