# SPDX-License-Identifier: Apache-2.0
"""MoeTokenPermuteWithRoutingMap must refuse bad arguments, and accept Python's types."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import cannery
from cannery import project

NULLPTR, INVALID, TILING = 161001, 161002, 561002

T, E, H = 6, 4, 8


def arrays(**changes: Any) -> dict[str, Any]:
    """Returns arguments of a correct call of the operator, with k = 2 and the outputs."""
    good = {
        "tokens": np.zeros((T, H), np.float16),
        "routing_map": np.tile(np.array([1, 0, 1, 0], np.int8), (T, 1)),
        "probs": np.zeros((T, E), np.float16),
        "num_out_tokens": 12,
        "drop_and_pad": False,
        "permute_tokens": np.zeros((12, H), np.float16),
        "permute_probs": np.zeros(12, np.float16),
        "sorted_indices": np.zeros(12, np.int32),
    }
    assert set(changes) <= set(good)
    return {**good, **changes}


def run(**changes: Any) -> None:
    project.operator("moe_token_permute_with_routing_map")(*arrays(**changes).values())


def refuse(status: int, **changes: Any) -> str:
    """Checks that the call fails with `status`, with and without padding; returns the message."""
    texts = []
    for pad in (False, True):
        with pytest.raises(cannery.AclnnError) as caught:
            run(**{"drop_and_pad": pad, **changes})
        assert caught.value.status == status
        assert caught.value.name in str(caught.value)
        texts.append(str(caught.value))
    return texts[0]


def test_the_call_that_is_changed_below_is_legal() -> None:
    run()
    run(drop_and_pad=True)
    run(probs=None, permute_probs=None)


class TestRefusals:
    """Tests the refusals of the operator's specification, row by row."""

    @pytest.mark.parametrize("name", ["tokens", "routing_map", "permute_tokens", "sorted_indices"])
    def test_null_pointers(self, name: str) -> None:
        words = name.split("_")
        assert words[0] + "".join(map(str.capitalize, words[1:])) in refuse(NULLPTR, **{name: None})

    def test_only_one_of_the_probs(self) -> None:
        assert "permuteProbsOutOptional is a null" in refuse(NULLPTR, permute_probs=None)
        assert "probsOptional is a null" in refuse(NULLPTR, probs=None)

    def test_null_pointers_come_first(self) -> None:
        wrong = {"tokens": np.zeros((1, 2, 3), np.float64), "num_out_tokens": -1}
        refuse(NULLPTR, **wrong, sorted_indices=None)
        refuse(NULLPTR, **wrong, permute_probs=None)

    @pytest.mark.parametrize("dtype", ["float64", "int8", "int32", "uint16", "bool", "complex64"])
    def test_dtypes_of_tokens(self, dtype: str) -> None:
        kind = np.dtype(dtype)
        assert "tokens has dtype" in refuse(
            INVALID,
            tokens=np.zeros((T, H), kind),
            probs=None,
            permute_probs=None,
            permute_tokens=np.zeros((12, H), kind),
        )

    @pytest.mark.parametrize("name", ["tokens", "probs", "permute_tokens", "permute_probs"])
    @pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16, np.float64])
    def test_dtypes_that_differ(self, name: str, dtype: Any) -> None:
        refuse(INVALID, **{name: arrays()[name].astype(dtype)})

    @pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int32, np.float16])
    def test_dtype_of_the_map(self, dtype: Any) -> None:
        text = refuse(INVALID, routing_map=np.zeros((T, E), dtype))
        assert "routingMap" in text
        assert "bool or int8" in text

    @pytest.mark.parametrize("dtype", [np.int64, np.uint32, np.float32])
    def test_dtype_of_the_indices(self, dtype: Any) -> None:
        assert "sortedIndices" in refuse(INVALID, sorted_indices=np.zeros(12, dtype))

    @pytest.mark.parametrize("shape", [(T,), (T, E, 1), ()])
    def test_rank_of_the_map_and_of_tokens(self, shape: tuple[int, ...]) -> None:
        assert "routingMap" in refuse(INVALID, routing_map=np.zeros(shape, np.int8))
        assert "tokens" in refuse(INVALID, tokens=np.zeros(shape, np.float16))

    @pytest.mark.parametrize("shape", [(T * E,), (T, E, 1), (T, E + 1), (E, T), ()])
    def test_shape_of_the_probs(self, shape: tuple[int, ...]) -> None:
        assert "probs" in refuse(INVALID, probs=np.zeros(shape, np.float16))

    @pytest.mark.parametrize("rows", [-1, T * E + 1, 2**62, -(2**63)])
    def test_num_out_tokens(self, rows: int) -> None:
        text = refuse(INVALID, num_out_tokens=rows)
        assert str(rows) in text
        assert str(T * E) in text

    @pytest.mark.parametrize("shape", [(16777215, 1), (1, 16777215)])
    def test_too_many_tokens_or_experts(self, shape: tuple[int, int]) -> None:
        assert "16777215" in refuse(
            INVALID,
            tokens=np.zeros((shape[0], 1), np.float16),
            routing_map=np.zeros(shape, np.int8),
            probs=None,
            permute_probs=None,
        )

    @pytest.mark.parametrize("shape", [(11, H), (13, H), (12,), (12, H, 1), (0, H)])
    def test_shape_of_permute_tokens(self, shape: tuple[int, ...]) -> None:
        assert "permuteTokensOut" in refuse(INVALID, permute_tokens=np.zeros(shape, np.float16))

    @pytest.mark.parametrize("shape", [(11,), (13,), (12, 1), (), (0,)])
    def test_shape_of_the_vectors(self, shape: tuple[int, ...]) -> None:
        assert "permuteProbsOut" in refuse(INVALID, permute_probs=np.zeros(shape, np.float16))
        assert "sortedIndicesOut" in refuse(INVALID, sorted_indices=np.zeros(shape, np.int32))

    def test_tokens_of_the_map_and_columns_of_the_output(self) -> None:
        assert "tokens" in refuse(TILING, tokens=np.zeros((T + 1, H), np.float16))
        text = refuse(TILING, permute_tokens=np.zeros((12, H - 1), np.float16))
        assert "permuteTokensOut" in text

    def test_rules_of_tiling_come_last(self) -> None:
        tokens = np.zeros((T + 1, H), np.float16)
        refuse(INVALID, tokens=tokens, num_out_tokens=-1)
        refuse(INVALID, tokens=tokens, sorted_indices=np.zeros(11, np.int32))

    def test_k_above_512(self) -> None:
        tokens, mask = np.zeros((2, 4), np.float16), np.ones((2, 600), np.int8)
        for rows in (2 * 513, 2 * 600):
            with pytest.raises(cannery.AclnnError, match="at most 512") as caught:
                cannery.moe_token_permute_with_routing_map(tokens, mask, None, rows)
            assert caught.value.status == TILING
        # The limit is for rows / tokens, not for 1s in the map. With padding, there is no limit.
        mask[:, 512:] = 0
        assert len(cannery.moe_token_permute_with_routing_map(tokens, mask, None, 1024)[2]) == 1024
        cannery.moe_token_permute_with_routing_map(tokens, mask, None, 1200, True)

    def test_too_many_rows(self) -> None:
        tokens, mask = np.zeros((1 << 15, 4), np.float16), np.ones((1 << 15, 512), np.int8)
        with pytest.raises(cannery.AclnnError, match="fewer than 16777215") as caught:
            cannery.moe_token_permute_with_routing_map(tokens, mask)
        assert caught.value.status == TILING

    @pytest.mark.parametrize("shape", [(16777215, 1), (1, 16777215), (1 << 40, 1)])
    @pytest.mark.parametrize("pad", [False, True])
    def test_no_memory_is_taken_for_too_many_tokens(
        self, shape: tuple[int, int], pad: bool
    ) -> None:
        tokens = np.broadcast_to(np.float16(0), (shape[0], 1 << 20))
        mask = np.broadcast_to(np.int8(1), shape)
        with pytest.raises(cannery.AclnnError, match="below 16777215") as caught:
            cannery.moe_token_permute_with_routing_map(tokens, mask, None, mask.size, pad)
        assert caught.value.status == INVALID


class TestPythonArguments:
    def test_num_out_tokens_is_required_with_padding(self) -> None:
        good = arrays()
        with pytest.raises(cannery.AclnnError, match="num_out_tokens") as caught:
            cannery.moe_token_permute_with_routing_map(
                good["tokens"], good["routing_map"], drop_and_pad=True
            )
        assert caught.value.status == INVALID

    def test_none_is_a_null_pointer(self) -> None:
        good = arrays()
        for tokens, mask in ((None, good["routing_map"]), (good["tokens"], None), (None, None)):
            for rows in (None, 12):
                with pytest.raises(cannery.AclnnError) as caught:
                    cannery.moe_token_permute_with_routing_map(tokens, mask, None, rows)
                assert caught.value.status == NULLPTR
                with pytest.raises(cannery.AclnnError) as caught:
                    cannery.moe_token_permute_with_routing_map(tokens, mask, None, rows, True)
                assert caught.value.status == NULLPTR

    @pytest.mark.parametrize("rows", [-1, T * E + 1, 2**63, -(2**70)])
    def test_num_out_tokens_out_of_range(self, rows: int) -> None:
        good = arrays()
        for pad in (False, True):
            with pytest.raises(cannery.AclnnError, match=r"num_?[oO]ut_?[tT]okens") as caught:
                cannery.moe_token_permute_with_routing_map(
                    good["tokens"], good["routing_map"], None, rows, pad
                )
            assert caught.value.status == INVALID

    @pytest.mark.parametrize("shape", [(T,), (T, E, 1), ()])
    def test_shapes_that_have_no_result(self, shape: tuple[int, ...]) -> None:
        good = arrays()
        for changed in (
            {"tokens": np.zeros(shape, np.float16)},
            {"routing_map": np.zeros(shape, np.int8)},
            {"probs": np.zeros(shape, np.float16)},
        ):
            names = ("tokens", "routing_map", "probs")
            given = {**{name: good[name] for name in names}, **changed}
            with pytest.raises(cannery.AclnnError) as caught:
                cannery.moe_token_permute_with_routing_map(**given)
            assert caught.value.status == INVALID

    @pytest.mark.parametrize("name", ["tokens", "routing_map", "probs"])
    @pytest.mark.parametrize("wrong", [[[1.0]], 1, np.zeros((T, E), object), "x"])
    def test_what_is_no_array_of_numbers(self, name: str, wrong: Any) -> None:
        good = {key: arrays()[key] for key in ("tokens", "routing_map", "probs")}
        with pytest.raises(TypeError, match=f"^{name}: expected"):
            cannery.moe_token_permute_with_routing_map(**{**good, name: wrong})

    @pytest.mark.parametrize("wrong", [1.0, "1", True, [1]])
    def test_num_out_tokens_must_be_a_whole_number(self, wrong: Any) -> None:
        good = arrays()
        with pytest.raises(TypeError, match=r"^num_out_tokens: expected a whole number"):
            cannery.moe_token_permute_with_routing_map(
                good["tokens"], good["routing_map"], None, wrong
            )

    @pytest.mark.parametrize("wrong", [1, 0, "no", None, np.int8(1), np.zeros(1, bool)])
    def test_drop_and_pad_must_be_a_bool(self, wrong: Any) -> None:
        good = arrays()
        with pytest.raises(TypeError, match=r"^drop_and_pad: expected True or False"):
            cannery.moe_token_permute_with_routing_map(
                good["tokens"], good["routing_map"], None, 12, wrong
            )

    def test_numpy_bool_and_integer(self) -> None:
        good = arrays()
        got = cannery.moe_token_permute_with_routing_map(
            good["tokens"], good["routing_map"], None, np.int16(12), np.bool_(True)
        )
        assert got[0].shape == (12, H)

    def test_an_output_may_lie_anywhere(self) -> None:
        """An output may be a view into a larger buffer, with an offset."""
        buffer = np.full((12, 3 * H), 7, np.float16)
        rng = np.random.default_rng(0)
        tokens = rng.standard_normal((T, H)).astype(np.float16)
        indices = np.zeros((12, 3), np.int32)
        run(tokens=tokens, permute_tokens=buffer[:, H : 2 * H], sorted_indices=indices[:, 1])
        want = cannery.moe_token_permute_with_routing_map(tokens, arrays()["routing_map"])
        np.testing.assert_array_equal(buffer[:, H : 2 * H], want[0])
        np.testing.assert_array_equal(indices[:, 1], want[2])
        assert (buffer[:, :H] == 7).all()
        assert (buffer[:, 2 * H :] == 7).all()
        assert not indices[:, ::2].any()

    @pytest.mark.parametrize("pad", [False, True])
    @pytest.mark.parametrize("axis", [0, 1])
    def test_outputs_far_apart(self, tmp_path: Path, axis: int, pad: bool) -> None:
        """Outputs may have offsets beyond 2^32 elements and strides too large for one copy."""
        far = 2**31 + 8
        shape = (12, H)[axis], far  # a sparse file: only written pages use space
        rng = np.random.default_rng(0)
        tokens = rng.standard_normal((T, H)).astype(np.float16)
        want = cannery.moe_token_permute_with_routing_map(
            tokens, arrays()["routing_map"], None, 12, pad
        )[0]
        memory = np.memmap(tmp_path / "sparse", np.float16, "w+", shape=shape)
        view = memory[:, :H] if axis == 0 else memory[:H, :12].T
        run(tokens=tokens, drop_and_pad=pad, permute_tokens=view)
        np.testing.assert_array_equal(view, want)
