# SPDX-License-Identifier: Apache-2.0
"""Runs the tutorial's kernels with cases that its pages lack: tails, types, numbers of blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from ml_dtypes import bfloat16

import cannery
from cannery.testing import assert_close

from ..selection import rest_slow
from .conftest import Compile

Array = npt.NDArray[Any]
pytestmark = pytest.mark.usefixtures("schedule")


def double(array: Array) -> Array:
    return array.astype(np.float64)


@pytest.mark.parametrize("blocks", [1, 3, 48])
@pytest.mark.parametrize("dtype", rest_slow([np.float16, np.float32, np.int32]))
def test_add(compile_one: Compile, rng: np.random.Generator, dtype: Any, blocks: int) -> None:
    names = {np.float16: "add_half", np.float32: "add_float", np.int32: "add_int32"}
    kernel = compile_one("add_tail", names[dtype])
    tile = 16 * 1024 // np.dtype(dtype).itemsize
    for elems in (1, 7, 16, tile - 1, tile, tile + 1, 5 * tile + 13):
        x, y = (100 * rng.standard_normal((2, elems))).astype(dtype)
        z = np.full_like(x, 99)
        kernel(blocks, x, y, z, elems)
        assert np.array_equal(z, x + y)
        assert kernel.coverage()[0].complete


SOFTMAX_SHAPES = [(1, 1), (248, 16), (249, 16), (500, 3), (7, 64), (39, 100), (3, 2032), (2, 1999)]


@pytest.mark.parametrize(("rows", "cols"), SOFTMAX_SHAPES)
@pytest.mark.parametrize("dtype", rest_slow([np.float16, np.float32]))
def test_softmax(
    compile_one: Compile, rng: np.random.Generator, dtype: Any, rows: int, cols: int
) -> None:
    kernel = compile_one("softmax", "softmax_half" if dtype is np.float16 else "softmax_float")
    x = (8 * rng.standard_normal((rows, cols))).astype(dtype)
    x[0, 0] = -np.inf if cols > 1 else 0  # as for a masked column
    exps = np.exp(double(x) - double(x).max(axis=1, keepdims=True))
    for blocks in (1, 5):
        y = np.full_like(x, 99)
        kernel(blocks, x, y, rows, cols)
        assert_close(y, exps / exps.sum(axis=1, keepdims=True), dtype)


def test_softmax_of_large_numbers(compile_one: Compile) -> None:
    """Results for large numbers are right, because the kernel subtracts the maximum before exp."""
    x = np.array([[60000, 59999, -60000], [-60000, -60000, -60000]], np.float32)
    y = np.empty_like(x)
    compile_one("softmax", "softmax_float")(1, x, y, 2, 3)
    e = np.exp(-1.0)
    assert_close(y, np.array([[1 / (1 + e), e / (1 + e), 0], [1 / 3] * 3]), np.float32)


@pytest.mark.parametrize(("rows", "cols"), [(1, 1), (2, 7), (9, 64), (30, 777), (3, 8000)])
@pytest.mark.parametrize("dtype", rest_slow([np.float16, bfloat16]))
def test_layer_norm(
    compile_one: Compile, rng: np.random.Generator, dtype: Any, rows: int, cols: int
) -> None:
    kernel = compile_one("layer_norm", f"layer_norm_{'half' if dtype is np.float16 else 'bf16'}")
    x = (3 + 2 * rng.standard_normal((rows, cols))).astype(dtype)
    gamma, beta = rng.standard_normal((2, cols)).astype(dtype)
    deviation = np.sqrt(double(x).var(axis=1, keepdims=True) + 1e-3)
    scaled = (double(x) - double(x).mean(axis=1, keepdims=True)) / deviation * double(gamma)
    scale = np.abs(scaled) + np.abs(double(beta))
    for blocks in (1, 4, 48):  # some of the 48 blocks have no row
        y = np.full_like(x, 99)
        kernel(blocks, x, gamma, beta, y, rows, cols, 1e-3)
        assert_close(y, scaled + double(beta), dtype, scale)


@pytest.mark.parametrize(
    ("tokens", "vocab", "dim"),
    [(1, 1, 1), (3, 100, 8), (2500, 7, 5), (700, 300, 129), (40, 2, 4096), (0, 9, 16)],
)
def test_embedding_grad(
    compile_one: Compile, rng: np.random.Generator, tokens: int, vocab: int, dim: int
) -> None:
    """Every number of blocks gives the same table: sums of integers are exact in any order."""
    kernel = compile_one("embedding_grad", "embedding_grad")
    index = rng.integers(0, vocab, tokens, dtype=np.int32)
    grad = rng.integers(-8, 9, (tokens, dim)).astype(np.float32)
    want = np.zeros((vocab, dim), np.float32)
    np.add.at(want, index, grad)
    for blocks in (1, 6, 48):
        table = np.full((vocab, dim), np.nan, np.float32)
        kernel(blocks, grad, index, table, tokens, vocab, dim)
        assert np.array_equal(table, want)


MATMUL_SHAPES = [(1, 1, 1), (17, 33, 5), (128, 256, 512), (300, 129, 1000), (1000, 500, 300)]


@pytest.mark.parametrize(("m", "n", "k"), rest_slow(MATMUL_SHAPES, 3))
@pytest.mark.parametrize("dtype", rest_slow([np.float16, bfloat16]))
def test_matmul(
    compile_one: Compile, rng: np.random.Generator, dtype: Any, m: int, n: int, k: int
) -> None:
    """The result is exact, because all numbers are integers. Each core computes one base block or
    several."""
    kernel = compile_one("matmul_tiles", f"matmul_{'half' if dtype is np.float16 else 'bf16'}")
    name = np.dtype(dtype).name
    a = rng.integers(-4, 5, (m, k)).astype(dtype)
    b = rng.integers(-4, 5, (k, n)).astype(dtype)
    for cores, split in ((1, None), (7, None), (24, None), (3, (16, 16, 16))):
        tiling = cannery.matmul_tiling(m, n, k, a=name, b=name, cores=cores, fix_split=split)
        c = np.full((m, n), 99, np.float32)
        kernel(cores, a, b, c, tiling=tiling)  # some cores compute no base block
        assert np.array_equal(c, a.astype(np.float32) @ b.astype(np.float32))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("m", "n", "k"),
    rest_slow([(1, 16, 16), (2, 272, 7), (129, 512, 64), (1001, 768, 100), (4000, 256, 48)], 3),
)
@pytest.mark.parametrize("dtype", rest_slow([np.float16, bfloat16]))
def test_matmul_silu(
    compile_one: Compile, rng: np.random.Generator, dtype: Any, m: int, n: int, k: int
) -> None:
    name = np.dtype(dtype).name
    kind = "half" if dtype is np.float16 else "bf16"
    kernel = compile_one("matmul_silu", f"matmul_silu_{kind}")
    a = (0.3 * rng.standard_normal((m, k))).astype(dtype)
    b = (0.3 * rng.standard_normal((k, n))).astype(dtype)
    exact = double(a) @ double(b)
    scale = np.abs(double(a)) @ np.abs(double(b))
    for blocks, base_m, base_n in ((1, 128, 256), (3, 64, 128), (24, 16, 16)):
        tiling = cannery.matmul_tiling(
            *(base_m, base_n, k),
            org_shape=(m, n, k),
            fix_split=(base_m, base_n, -1),
            a=name,
            b=name,
        )
        c = np.full((m, n), 99, dtype)
        kernel(blocks, a, b, c, tiling=tiling, workspace=blocks * 2 * base_m * base_n * 4)
        assert_close(c, exact / (1 + np.exp(-exact)), dtype, scale)


@pytest.mark.parametrize(
    ("rows", "cols"), [(1, 1), (2, 4096), (512, 8), (513, 8), (1000, 100), (30, 4095)]
)
@pytest.mark.parametrize("dtype", rest_slow([np.int32, np.float32]))
def test_cumsum(
    compile_one: Compile, rng: np.random.Generator, dtype: Any, rows: int, cols: int
) -> None:
    kernel = compile_one("cumsum_ring", "cumsum_int32" if dtype is np.int32 else "cumsum_float")
    x = rng.integers(-9, 10, (rows, cols)).astype(dtype)
    for blocks in (1, 2, 5, 48):
        flags = np.zeros((blocks, 8), np.int32)
        for _ in range(2):  # the second call needs flags that are 0 again
            y = np.full_like(x, 99)
            kernel(blocks, x, y, flags, rows, cols, workspace=blocks * -(-cols // 8) * 32)
            assert np.array_equal(y, np.cumsum(x, axis=0, dtype=dtype))
            assert not flags.any()
