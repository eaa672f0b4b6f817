# SPDX-License-Identifier: Apache-2.0
"""MoeInitRoutingV2Grad must accept any memory layout, and refuse bad arguments with a status."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest

import cannery
from cannery import golden, project
from cannery.testing import assert_close

Array = npt.NDArray[Any]

NULLPTR, INVALID, TILING = 161001, 161002, 561002


def floats(*shape: int, dtype: Any = np.float32) -> Array:
    return np.random.default_rng(7).standard_normal(shape).astype(dtype)


def places(*shape: int, dtype: Any = np.int32) -> Array:
    return np.arange(int(np.prod(shape))).reshape(shape).astype(dtype)


def refuse(status: int, *arguments: Any) -> str:
    """Checks that the call fails with `status`, and returns the message."""
    with pytest.raises(cannery.AclnnError) as caught:
        cannery.moe_init_routing_v2_grad(*arguments)
    assert caught.value.status == status
    assert caught.value.name in str(caught.value)
    return str(caught.value)


def agree(rows: Array, index: Array, top_k: int, mode: int = 0, active: int = 0) -> None:
    got = cannery.moe_init_routing_v2_grad(rows, index, top_k, mode, active)
    want = golden.moe_init_routing_v2_grad(rows, index, top_k)
    scale = golden.moe_init_routing_v2_grad_scale(rows, index, top_k)
    assert_close(got, want, rows.dtype, scale)


class TestRefusals:
    """Tests the refusals of table 1.4 of the specification, row by row."""

    def test_null_pointers(self) -> None:
        assert "gradExpandedX" in refuse(NULLPTR, None, places(6), 2)
        assert "expandedRowIdx" in refuse(NULLPTR, floats(6, 2), None, 2)
        refuse(NULLPTR, None, None, 2)
        refuse(NULLPTR, None, places(6, dtype=np.int64), -1, 5, -3)

    def test_null_output(self) -> None:
        with pytest.raises(cannery.AclnnError, match="out is a null pointer") as caught:
            project.operator("moe_init_routing_v2_grad")(floats(6, 2), places(6), 2, 0, 0, None)
        assert caught.value.status == NULLPTR

    @pytest.mark.parametrize("dtype", ["float64", "int8", "int32", "uint16", "bool", "int4"])
    def test_dtype_of_the_rows(self, dtype: str) -> None:
        resolved = np.dtype(getattr(ml_dtypes, dtype, dtype))
        assert "dtype" in refuse(INVALID, np.zeros((6, 2), resolved), places(6), 2)

    @pytest.mark.parametrize("dtype", ["int64", "uint32", "int16", "float32"])
    def test_dtype_of_the_indices(self, dtype: str) -> None:
        assert "expandedRowIdx" in refuse(INVALID, floats(6, 2), places(6, dtype=dtype), 2)

    @pytest.mark.parametrize(
        ("out", "status"),
        [
            (floats(3, 2, dtype=np.float16), INVALID),
            (floats(2, 3).T, INVALID),
            (floats(3, 4)[:, ::2], INVALID),
            (floats(6, 2), TILING),
            (floats(3, 3), TILING),
            (floats(6), TILING),
            (floats(3, 2, 1), TILING),
            (floats(0, 2), TILING),
        ],
        ids=lambda value: str(getattr(value, "shape", value)),
    )
    def test_output(self, out: Array, status: int) -> None:
        with pytest.raises(cannery.AclnnError, match="out") as caught:
            project.operator("moe_init_routing_v2_grad")(floats(6, 2), places(6), 2, 0, 0, out)
        assert caught.value.status == status

    @pytest.mark.parametrize("mode", [-1, 2, 2**40, -(2**63)])
    def test_mode(self, mode: int) -> None:
        assert "dropPadMode" in refuse(TILING, floats(6, 2), places(6), 2, mode)

    @pytest.mark.parametrize("top_k", [0, -1, 4, 7, 2**40, 2**63 - 1, -(2**63)])
    def test_top_k(self, top_k: int) -> None:
        assert "topK" in refuse(TILING, floats(6, 2), places(6), top_k)

    @pytest.mark.parametrize("mode", [0, 1])
    def test_negative_active_num(self, mode: int) -> None:
        rows = floats(6, 2) if mode == 0 else floats(3, 2, 2)
        assert "activeNum" in refuse(TILING, rows, places(6), 2, mode, -1)

    @pytest.mark.parametrize(
        ("shape", "mode"),
        [((), 0), ((6,), 0), ((6, 1, 2), 0), ((6,), 1), ((6, 2), 1), ((3, 2, 1, 2), 1)],
        ids=str,
    )
    def test_rank_of_the_rows(self, shape: tuple[int, ...], mode: int) -> None:
        rows = np.zeros(shape, np.float32)
        assert "gradExpandedX" in refuse(TILING, rows, places(6), 2, mode)

    @pytest.mark.parametrize("shape", [(), (3, 2), (6, 1), (1, 6)], ids=str)
    def test_rank_of_the_indices(self, shape: tuple[int, ...]) -> None:
        assert "expandedRowIdx" in refuse(TILING, floats(6, 2), np.zeros(shape, np.int32), 1)

    def test_number_of_rows(self) -> None:
        for count in (1, 5, 7, 12):
            assert "expected 6" in refuse(TILING, floats(count, 2), places(6), 2)
            assert "activeNum" in refuse(TILING, floats(count, 2), places(6), 2, 0, 4)

    def test_empty(self) -> None:
        refuse(TILING, floats(0, 2), places(0), 2)
        refuse(TILING, floats(0, 2), places(6), 2)
        refuse(TILING, floats(6, 0), places(6), 2)
        refuse(TILING, floats(4, 0), places(6), 2, 0, 4)
        refuse(TILING, floats(3, 2, 0), places(6), 2, 1)

    @pytest.mark.parametrize("position", [2, 3, 4])
    @pytest.mark.parametrize("value", [2**63, -(2**63) - 1])
    def test_attributes_beyond_64_bits(self, value: int, position: int) -> None:
        arguments: list[Any] = [floats(6, 2), places(6), 2, 0, 0]
        arguments[position] = value
        refuse(INVALID, *arguments)

    def test_what_was_refused_does_not_disturb_the_next_call(self) -> None:
        refuse(TILING, floats(6, 2), places(6), 4)
        agree(floats(6, 2), places(6), 2)


class TestPythonArguments:
    """Tests arguments that only the Python function can receive, not the C API."""

    @pytest.mark.parametrize("wrong", [[[1.0, 2.0]], 1.0, np.zeros((6, 2), object)], ids=str)
    def test_type_errors_name_the_argument(self, wrong: Any) -> None:
        with pytest.raises(TypeError, match=r"^grad_expanded_x: expected"):
            cannery.moe_init_routing_v2_grad(wrong, places(6), 2)
        with pytest.raises(TypeError, match=r"^expanded_row_idx: expected"):
            cannery.moe_init_routing_v2_grad(floats(6, 2), wrong, 2)

    @pytest.mark.parametrize("name", ["top_k", "drop_pad_mode", "active_num"])
    @pytest.mark.parametrize("wrong", [1.0, "1", None, True])
    def test_attributes_must_be_whole_numbers(self, wrong: Any, name: str) -> None:
        with pytest.raises(TypeError, match=rf"^{name}: expected a whole number"):
            cannery.moe_init_routing_v2_grad(floats(6, 2), places(6), **{"top_k": 2, name: wrong})

    def test_numpy_integers_are_whole_numbers(self) -> None:
        rows, index = floats(6, 2), places(6)
        got = cannery.moe_init_routing_v2_grad(rows, index, np.int8(2), np.uint8(0), np.array(6))
        assert np.array_equal(got, cannery.moe_init_routing_v2_grad(rows, index, 2))


class TestLayouts:
    """Tests every memory layout that an ndarray can have."""

    def test_transposed_and_sliced(self) -> None:
        agree(floats(20, 6).T, places(6), 2)
        agree(floats(20, 30)[4:16:2, 1::3], places(6), 2)
        agree(floats(6, 20)[::-1, ::-1], places(6)[::-1], 2)
        agree(floats(5, 2, 3).transpose(2, 1, 0), places(6), 2, 1)

    def test_strided_indices(self) -> None:
        agree(floats(6, 20), places(6, 4)[:, 0] // 4, 2)
        record = np.zeros(6, [("pad", "u1"), ("value", "i4")])
        record["value"] = [5, 0, 4, 1, 3, 2]
        agree(floats(6, 20), record["value"], 3)

    def test_broadcast(self) -> None:
        agree(np.broadcast_to(floats(20), (6, 20)), places(6), 2)
        agree(floats(6, 20), np.broadcast_to(np.int32(3), (6,)), 3)

    def test_unaligned(self) -> None:
        buffer = np.zeros(6 * 20 * 4 + 1, np.uint8)[1:].view(np.float32).reshape(6, 20)
        buffer[...] = floats(6, 20)
        agree(buffer, places(6), 2)

    def test_read_only(self) -> None:
        rows, index = floats(6, 20), places(6)
        rows.flags.writeable = index.flags.writeable = False
        agree(rows, index, 2)
