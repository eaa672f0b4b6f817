# SPDX-License-Identifier: Apache-2.0
"""Compares BilinearInterpolation with a model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cannery

from .conftest import Compile

SOURCE, RESULT = 4096, 2048


@pytest.fixture(scope="module")
def kernel(compile_device: Compile) -> Any:
    return compile_device("bilinear")


def model(
    x: np.ndarray, blocks: np.ndarray, weights: np.ndarray, shape: tuple[int, int], mask: np.ndarray
) -> np.ndarray:
    """Returns one row of 128 sums for each vertical repeat; every step is rounded to half."""
    h, v = shape
    products = x.reshape(-1, 16)[blocks].reshape(v, h, 8, 16) * weights.reshape(v, h, -1, 1)
    sums = products[:, 0].reshape(v, 128).copy()
    for i in range(1, h):
        sums[:, mask] = (products[:, i].reshape(v, 128) + sums)[:, mask]
    return sums


@pytest.mark.parametrize("each_block", [False, True])
@pytest.mark.parametrize(
    ("shape", "mask", "step"), [((2, 3), 128, 128), ((1, 4), 40, 256), ((5, 2), 0, 144)]
)
def test_results(
    kernel: Any,
    rng: np.random.Generator,
    shape: tuple[int, int],
    mask: int,
    step: int,
    each_block: bool,
) -> None:
    h, v = shape
    x = rng.standard_normal(SOURCE).astype(np.float16)
    blocks = rng.integers(0, SOURCE // 16, h * v * 8).astype(np.uint32)
    weights = rng.standard_normal(h * v * (8 if each_block else 1)).astype(np.float16)
    padded = np.zeros(-(-len(weights) // 8) * 8, np.float16)
    padded[: len(weights)] = weights
    out = np.zeros(RESULT, np.float16)
    kernel(
        1, x, blocks * 32, padded, out, np.array([h, v, each_block, step, mask, 0, 0, 0], np.uint32)
    )
    used = np.arange(128) < mask if mask else np.arange(128) % 2 == 0
    want = np.full(RESULT, 7, np.float16)
    for row, sums in enumerate(model(x, blocks, weights, shape, used)):
        want[row * step : row * step + 128][used] = sums[used]
    np.testing.assert_array_equal(out, want)


def test_strides_that_do_not_fit(kernel: Any) -> None:
    x, out = np.zeros(SOURCE, np.float16), np.zeros(RESULT, np.float16)
    blocks, n = np.zeros(80, np.uint32), np.array([5, 2, 0, 4096, 128, 0, 0, 0], np.uint32)
    with pytest.raises(cannery.KernelError, match=r"T402 .*BilinearInterpolation with hRepeat 5"):
        kernel(1, x, blocks, np.zeros(16, np.float16), out, n)
