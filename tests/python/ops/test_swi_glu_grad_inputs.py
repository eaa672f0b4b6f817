# SPDX-License-Identifier: Apache-2.0
"""SwiGluGrad must accept any memory layout, and refuse bad arguments with a status."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest

import cannery
from cannery import golden
from cannery.testing import assert_close

Array = npt.NDArray[Any]

NULLPTR, INVALID, TILING = 161001, 161002, 561002


def floats(*shape: int, dtype: Any = np.float32) -> Array:
    return np.random.default_rng(7).standard_normal(shape).astype(dtype)


def refuse(status: int, y_grad: Any, x: Any, dim: Any = -1) -> str:
    """Checks that the call fails with `status`, and returns the message."""
    with pytest.raises(cannery.AclnnError) as caught:
        cannery.swi_glu_grad(y_grad, x, dim)
    assert caught.value.status == status
    assert caught.value.name in str(caught.value)
    return str(caught.value)


def agree(y_grad: Array, x: Array, dim: int = -1) -> None:
    got = cannery.swi_glu_grad(y_grad, x, dim)
    want = golden.swi_glu_grad(y_grad, x, dim)
    assert_close(got, want, x.dtype, golden.swi_glu_grad_scale(y_grad, x, dim))


class TestRefusals:
    """Tests the refusals of table 5.4 of the specification, row by row."""

    def test_null_pointers(self) -> None:
        assert "yGrad" in refuse(NULLPTR, None, floats(2, 4))
        assert "x" in refuse(NULLPTR, floats(2, 2), None)
        refuse(NULLPTR, None, None)

    def test_null_pointer_comes_before_everything_else(self) -> None:
        refuse(NULLPTR, None, floats(3, 3, dtype=np.float64), 99)

    @pytest.mark.parametrize(
        "dtype",
        [
            *("float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
            *("bool", "complex64", "complex128", "longdouble", "int4", "float8_e4m3fn"),
        ],
    )
    def test_dtypes(self, dtype: str) -> None:
        resolved = np.dtype(getattr(ml_dtypes, dtype, dtype))
        text = refuse(INVALID, np.zeros((2, 2), resolved), np.zeros((2, 4), resolved))
        assert "dtype" in text.lower() or "data type" in text.lower()

    def test_dtypes_that_differ(self) -> None:
        refuse(INVALID, floats(2, 2, dtype=np.float16), floats(2, 4))
        refuse(INVALID, floats(2, 2), floats(2, 4, dtype=ml_dtypes.bfloat16))

    @pytest.mark.parametrize("dim", [2, -3, 100, -100, 2**31, 2**62, -(2**63), 2**63 - 1])
    def test_dim_out_of_range(self, dim: int) -> None:
        assert "dim" in refuse(INVALID, floats(2, 2), floats(2, 4), dim)

    @pytest.mark.parametrize("dim", [2**63, -(2**63) - 1, 10**30])
    def test_dim_beyond_64_bits(self, dim: int) -> None:
        assert "dim" in refuse(INVALID, floats(2, 2), floats(2, 4), dim)

    @pytest.mark.parametrize(("shape", "dim"), [((2, 5), -1), ((3, 4), 0), ((2, 3, 4), 1)])
    def test_odd_dimension(self, shape: tuple[int, ...], dim: int) -> None:
        halved = list(shape)
        halved[dim] //= 2
        text = refuse(TILING, floats(*halved), floats(*shape), dim)
        assert str(shape[dim]) in text

    def test_rank_0_and_above_8(self) -> None:
        refuse(INVALID, np.array(1.0, np.float32), np.array(1.0, np.float32))
        refuse(INVALID, floats(*[1] * 8, 1), floats(*[1] * 8, 2))

    @pytest.mark.parametrize("y_shape", [(2, 4), (2, 1), (1, 2), (2, 2, 1), (2,), (4,), (2, 3)])
    def test_shape_of_y_grad(self, y_shape: tuple[int, ...]) -> None:
        assert "yGrad" in refuse(INVALID, floats(*y_shape), floats(2, 4))

    @pytest.mark.parametrize("shape", [(0, 4), (3, 0), (0,), (2, 0, 4)])
    def test_empty(self, shape: tuple[int, ...]) -> None:
        halved = (*shape[:-1], shape[-1] // 2)
        refuse(INVALID, floats(*halved), floats(*shape))


class TestPythonArguments:
    """Tests arguments that only the Python function can receive, not the C API."""

    @pytest.mark.parametrize(
        "wrong",
        [
            [[1.0, 2.0]],
            1.0,
            "x",
            np.float32(3),
            np.zeros((2, 4), object),
            np.zeros((2, 4), "U3"),
            np.zeros((2, 4), "S3"),
            np.zeros((2, 4), "V4"),
            np.zeros((2, 4), "M8[s]"),
            np.zeros((2, 4), [("a", "f4")]),
            np.zeros((2, 4), np.dtype(np.float32).newbyteorder()),
            np.ma.masked_array(np.zeros((2, 4), np.float32)),
        ],
        ids=lambda value: f"{type(value).__name__}-{getattr(value, 'dtype', '')}",
    )
    def test_type_errors_name_the_argument(self, wrong: Any) -> None:
        with pytest.raises(TypeError, match=r"^x: expected|^x: masked"):
            cannery.swi_glu_grad(floats(2, 2), wrong)
        with pytest.raises(TypeError, match=r"^y_grad: expected|^y_grad: masked"):
            cannery.swi_glu_grad(wrong, floats(2, 4))

    @pytest.mark.parametrize("dim", [1.0, "1", None, [1], True, np.float32(1), np.array([1, 2])])
    def test_dim_must_be_a_whole_number(self, dim: Any) -> None:
        with pytest.raises(TypeError, match=r"^dim: expected a whole number"):
            cannery.swi_glu_grad(floats(2, 2), floats(2, 4), dim)

    @pytest.mark.parametrize("dim", [np.int8(1), np.int64(-1), np.uint64(1), np.array(1)])
    def test_numpy_integers_are_whole_numbers(self, dim: Any) -> None:
        y_grad, x = floats(2, 2), floats(2, 4)
        assert np.array_equal(cannery.swi_glu_grad(y_grad, x, dim), cannery.swi_glu_grad(y_grad, x))


class TestLayouts:
    """Tests every memory layout that an ndarray can have."""

    def test_transposed(self) -> None:
        agree(floats(8, 5).T, floats(16, 5).T)
        agree(np.asfortranarray(floats(5, 8)), np.asfortranarray(floats(5, 16)))

    def test_slices(self) -> None:
        agree(floats(9, 20)[::2, 1::3], floats(20, 30)[4:9, 2:16])

    def test_negative_strides(self) -> None:
        agree(floats(5, 8)[::-1], floats(5, 16)[:, ::-1])

    def test_broadcast(self) -> None:
        agree(np.broadcast_to(floats(8), (5, 8)), np.broadcast_to(floats(5, 1), (5, 16)))

    def test_strides_that_are_no_multiple_of_the_item_size(self) -> None:
        record = np.zeros((5, 16), [("pad", "u1"), ("value", "f4")])
        record["value"] = floats(5, 16)
        agree(floats(5, 8), record["value"])

    def test_unaligned(self) -> None:
        buffer = np.zeros(5 * 16 * 4 + 1, np.uint8)[1:].view(np.float32).reshape(5, 16)
        buffer[...] = floats(5, 16)
        agree(floats(5, 8), buffer)

    def test_views_of_one_buffer(self) -> None:
        buffer = floats(6, 32)
        agree(buffer[:, 4:12], buffer[:, 8:24])
        agree(buffer[1:4, :8], buffer[2:5, :16])
        agree(buffer[:, :16], buffer)

    def test_the_same_array_twice_in_a_row_and_from_two_threads(self) -> None:
        from concurrent.futures import ThreadPoolExecutor

        y_grad, x = floats(64, 256), floats(64, 512)
        want = cannery.swi_glu_grad(y_grad, x).tobytes()
        with ThreadPoolExecutor(4) as pool:
            results = list(pool.map(lambda _: cannery.swi_glu_grad(y_grad, x).tobytes(), range(40)))
        assert all(result == want for result in results)

    def test_read_only_inputs(self, tmp_path: Path) -> None:
        x = floats(5, 16)
        x.tofile(tmp_path / "x.bin")
        mapped = np.memmap(tmp_path / "x.bin", np.float32, "r", shape=(5, 16))
        frozen = floats(5, 8)
        frozen.flags.writeable = False
        agree(frozen, mapped)

    def test_one_element_with_strange_strides(self) -> None:
        from numpy.lib.stride_tricks import as_strided

        agree(as_strided(floats(1), (1, 1), (3, -5)), as_strided(floats(2), (1, 2), (-7, 4)))
