# SPDX-License-Identifier: Apache-2.0
"""Compares the golden with examples computed by hand, and with a numerical derivative."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest

from cannery import golden

X = np.array([[0, 1, -2, 3], [4, -1, 0.5, 2]])
Y_GRAD = np.array([[1, 2], [-1, 0.5]])

WORKED = {
    "float32": (
        np.float32,
        [
            [-1.0, 5.5660233, 0.0, 1.4621172],
            [-0.52633238, 0.07232948, -3.928055, -0.1344707],
        ],
    ),
    "float16": (
        np.float16,
        [
            [-1.0, 5.56640625, 0.0, 1.4619140625],
            [-0.5263671875, 0.07232666015625, -3.927734375, -0.134521484375],
        ],
    ),
    "bfloat16": (
        ml_dtypes.bfloat16,
        [[-1.0, 5.5625, 0.0, 1.4609375], [-0.52734375, 0.072265625, -3.921875, -0.134765625]],
    ),
}


@pytest.mark.parametrize("name", WORKED)
@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_worked_example(name: str, precision: Any) -> None:
    dtype, expected = WORKED[name]
    got = golden.swi_glu_grad(Y_GRAD.astype(dtype), X.astype(dtype), precision=precision)
    # The examples have exact values for 16-bit types, and seven digits for float32.
    tolerance = 2e-7 if name == "float32" else 0
    np.testing.assert_allclose(got.astype(dtype).astype(np.float64), expected, rtol=tolerance)


def test_worked_example_along_the_first_dimension() -> None:
    gradient = np.array([[1, 2, -1, 0.5]], np.float32)
    got = golden.swi_glu_grad(gradient, X.astype(np.float32), 0, precision="float32")
    expected = [
        [2.0, -1.8553411, 0.04539213, 1.0881041],
        [0.0, 1.4621172, 0.23840587, 1.4288611],
    ]
    np.testing.assert_allclose(got, expected, rtol=3e-7)


@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_edge_row(precision: Any) -> None:
    edges = np.array([100, -100, np.inf, -np.inf], np.float32)
    x = np.concatenate([edges, np.ones(4, np.float32)])[None]
    got = golden.swi_glu_grad(np.ones((1, 4), np.float32), x, precision=precision)[0]
    np.testing.assert_allclose(got[:4], [1, 0, np.nan, np.nan], atol=1e-40)
    np.testing.assert_allclose(got[4:], [100, 0, np.inf, np.nan], atol=1e-40)
    assert np.signbit(got[5])


def test_float64_is_the_derivative_of_silu_times_b() -> None:
    rng = np.random.default_rng(1)
    a, b, g = rng.standard_normal((3, 500)) * 3
    got = golden.swi_glu_grad(g, np.concatenate([a, b]), 0)

    def forward(a: npt.NDArray[Any], b: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return a / (1 + np.exp(-a)) * b

    step = 1e-6
    np.testing.assert_allclose(
        got[:500], g * (forward(a + step, b) - forward(a - step, b)) / (2 * step), atol=1e-8
    )
    np.testing.assert_allclose(
        got[500:], g * (forward(a, b + step) - forward(a, b - step)) / (2 * step), atol=1e-8
    )


@pytest.mark.parametrize("dim", [0, 1, 2, -1, -2, -3])
def test_any_dim_is_the_last_one_moved(dim: int) -> None:
    rng = np.random.default_rng(2)
    x = rng.standard_normal((4, 6, 8))
    shape = list(x.shape)
    shape[dim] //= 2
    g = rng.standard_normal(shape)
    moved = golden.swi_glu_grad(np.moveaxis(g, dim, -1), np.moveaxis(x, dim, -1))
    np.testing.assert_array_equal(golden.swi_glu_grad(g, x, dim), np.moveaxis(moved, -1, dim))


@pytest.mark.parametrize("block", [1, 7, 64])
def test_blocks_do_not_change_the_result(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    rng = np.random.default_rng(3)
    g, x = rng.standard_normal((5, 9)), rng.standard_normal((5, 18))
    whole = golden.swi_glu_grad(g, x)
    monkeypatch.setattr(sys.modules["cannery.golden.swi_glu_grad"], "_BLOCK_ELEMS", block)
    np.testing.assert_array_equal(golden.swi_glu_grad(g, x), whole)


def test_scale_is_the_magnitude_of_the_terms() -> None:
    a = np.array([-1.2784645, 0.0, 5.0])
    x = np.concatenate([a, np.full(3, 2.0)])
    scale = golden.swi_glu_grad_scale(np.full(3, -3.0), x, 0)
    s = 1 / (1 + np.exp(-a))
    np.testing.assert_allclose(scale[:3], 6 * (s + s * (1 - s) * np.abs(a)))
    np.testing.assert_array_equal(scale[3:], 0)


def test_out_dtype_skips_the_last_rounding() -> None:
    g, x = Y_GRAD.astype(np.float16), X.astype(np.float16)
    wide = golden.swi_glu_grad(g, x, precision="float32", out_dtype=np.float32)
    assert wide.dtype == np.float32
    np.testing.assert_array_equal(
        wide.astype(np.float16), golden.swi_glu_grad(g, x, precision="float32")
    )


def test_wrong_arguments() -> None:
    with pytest.raises(ValueError, match=r"y_grad: expected x.shape"):
        golden.swi_glu_grad(np.zeros((2, 3)), np.zeros((2, 4)))
    with pytest.raises(ValueError, match="precision"):
        golden.swi_glu_grad(Y_GRAD, X, precision="float16")  # type: ignore[arg-type]
