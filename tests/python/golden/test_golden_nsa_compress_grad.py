# SPDX-License-Identifier: Apache-2.0
"""Compares the golden with examples computed by hand, and with a numerical derivative."""

from __future__ import annotations

import sys
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest

from cannery import golden

Array = npt.NDArray[Any]


def toy(dtype: Any = np.float64) -> tuple[Array, Array, Array]:
    """Returns arguments with sequences of 3 and 2 rows, for windows of 2 rows and stride 1."""
    t = np.arange(1, 6)[:, None, None]
    output_grad = np.array([[[1, 2]], [[3, 4]], [[5, 6]]], dtype)
    return output_grad, (t * [1, 10]).astype(dtype), np.array([[0.5], [2]], dtype)


SIZES = {"compress_block_size": 2, "compress_stride": 1}


@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_worked_toy(precision: Any) -> None:
    input_grad, weight_grad = golden.nsa_compress_grad(*toy(), [3, 5], precision=precision, **SIZES)
    expected = [[0.5, 1], [3.5, 6], [6, 8], [2.5, 3], [10, 12]]
    np.testing.assert_array_equal(input_grad[:, 0], expected)
    np.testing.assert_array_equal(weight_grad, [[367], [496]])


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_worked_example(precision: Any, dtype: Any) -> None:
    x = np.broadcast_to(np.arange(50)[:, None, None] / 8, (50, 1, 16)).astype(dtype)
    weight = (np.arange(32)[:, None] / 16).astype(dtype)
    output_grad = np.ones((2, 1, 16), dtype)
    output_grad[1] = -0.5
    sizes = {"compress_block_size": 32, "compress_stride": 16}
    input_grad, weight_grad = golden.nsa_compress_grad(
        output_grad, x, weight, precision=precision, **sizes
    )
    column = input_grad[:, 0, 7].astype(np.float64)
    assert column[[0, 15, 16, 17, 31, 32, 33, 47, 48, 49]].tolist() == [
        0, 0.9375, 1, 1.03125, 1.46875, -0.5, -0.53125, -0.96875, 0, 0,
    ]  # fmt: skip
    np.testing.assert_array_equal(weight_grad[:, 0].astype(np.float64), np.arange(-16, 16))


def forward(x: Array, weight: Array, starts: Array) -> Array:
    return np.stack([(x[s : s + len(weight)] * weight[:, :, None]).sum(0) for s in starts])


def test_float64_is_the_derivative_of_the_pooling() -> None:
    rng = np.random.default_rng(1)
    ends = [0, 9, 11, 30]
    starts = golden.nsa_compress_windows(33, ends, 4, 3)
    assert starts.tolist() == [0, 3, 11, 14, 17, 20, 23, 26]
    x, weight = rng.standard_normal((33, 2, 3)), rng.standard_normal((4, 2))
    output_grad = rng.standard_normal((len(starts), 2, 3))
    sizes = {"compress_block_size": 4, "compress_stride": 3}
    got = golden.nsa_compress_grad(output_grad, x, weight, ends, **sizes)

    def loss() -> float:
        return float((forward(x, weight, starts) * output_grad).sum())

    for array, gradient in zip((x, weight), got, strict=True):
        for index in np.ndindex(array.shape):
            array[index] += 0.5
            above = loss()
            array[index] -= 1
            # The loss is linear in each element, so the difference is exact except for rounding.
            np.testing.assert_allclose(above - loss(), gradient[index], atol=1e-12)
            array[index] += 0.5


@pytest.mark.parametrize(("rows", "ends", "starts"), [
    (31, None, []), (32, None, [0]), (47, None, [0]), (48, None, [0, 16]),
    (100, [0, 31, 63, 63, 99], [31, 63]), (49, [0, 5, 49], [5]), (80, [48], [0, 16]),
])  # fmt: skip
def test_windows(rows: int, ends: Any, starts: list[int]) -> None:
    assert golden.nsa_compress_windows(rows, ends, 32, 16).tolist() == starts


def test_public_cases_have_as_many_windows_as_published() -> None:
    for rows, ends, windows in ((272, [0, 120, 140, 272], 13), (272, [0, 128, 272], 15)):
        assert len(golden.nsa_compress_windows(rows, ends, 32, 16)) == windows


@pytest.mark.parametrize("elems", [1, 40, 1000])
def test_blocks_do_not_change_the_result(elems: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    sizes = {"compress_block_size": 4, "compress_stride": 2}
    starts = golden.nsa_compress_windows(50, [20, 23, 50], 4, 2)
    inputs = (
        rng.integers(-9, 9, (len(starts), 2, 5)).astype(np.float64),
        rng.integers(-9, 9, (50, 2, 5)).astype(np.float64),
        rng.integers(-9, 9, (4, 2)).astype(np.float64),
    )
    whole = golden.nsa_compress_grad(*inputs, [20, 23, 50], **sizes)
    monkeypatch.setattr(sys.modules["cannery.golden.nsa_compress_grad"], "_BLOCK_ELEMS", elems)
    parts = golden.nsa_compress_grad(*inputs, [20, 23, 50], **sizes)
    for a, b in zip(whole, parts, strict=True):
        np.testing.assert_array_equal(a, b)


def test_scale_sums_magnitudes() -> None:
    output_grad, x, weight = toy()
    positive = golden.nsa_compress_grad(output_grad, x, weight, [3, 5], **SIZES)
    scale = golden.nsa_compress_grad_scale(-output_grad, x, -weight, [3, 5], **SIZES)
    for a, b in zip(positive, scale, strict=True):
        np.testing.assert_array_equal(a, b)


def test_dtypes_of_results() -> None:
    inputs = toy(np.float16)
    for array in golden.nsa_compress_grad(*inputs, [3, 5], precision="float32", **SIZES):
        assert array.dtype == np.float16
    wide = golden.nsa_compress_grad(
        *inputs, [3, 5], precision="float32", out_dtype=np.float32, **SIZES
    )
    assert {array.dtype for array in wide} == {np.dtype(np.float32)}


def test_wrong_arguments() -> None:
    output_grad, x, weight = toy()
    with pytest.raises(ValueError, match=r"output_grad: expected \(4, N, D\)"):
        golden.nsa_compress_grad(output_grad, x, weight, **SIZES)
    with pytest.raises(ValueError, match=r"weight: expected"):
        golden.nsa_compress_grad(output_grad, x, weight[:1], [3, 5], **SIZES)
    with pytest.raises(ValueError, match=r"act_seq_len: expected 3 to 5, got 2"):
        golden.nsa_compress_grad(output_grad, x, weight, [3, 2], **SIZES)
    with pytest.raises(ValueError, match="precision"):
        golden.nsa_compress_grad(*toy(), [3, 5], precision="float16", **SIZES)  # type: ignore[arg-type]
