# SPDX-License-Identifier: Apache-2.0
"""Tests products of Matmul with a sparse B, which keeps two of every four values along K."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cannery
from cannery import CompileError, KernelError

from . import matmul_model as mm

SOURCE = """
#define ASCENDC_CUBE_ONLY
#include "kernel_operator.h"
#include "lib/matmul_intf.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void sparse(GM_ADDR a, GM_ADDR b, GM_ADDR index, GM_ADDR c,
                                             GM_ADDR tilingGm) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    using A = MatmulType<TPosition::GM, CubeFormat::ND, int8_t>;
    using B = SparseMatmulType<TPosition::GM, TPosition::GM, CubeFormat::ND, int8_t, true>;
    using C = MatmulType<TPosition::GM, CubeFormat::ND, int32_t>;
    static_assert(B::indexPosition == TPosition::GM && B::isTrans);
    TPipe pipe;
    TCubeTiling tiling;
    int32_t* words = (int32_t*)&tiling;
    for (uint32_t i = 0; i < sizeof(TCubeTiling) / 4; ++i) {
        words[i] = ((__gm__ int32_t*)tilingGm)[i];
    }
    Matmul<A, B, C, C, CFG_MDL> product;
    product.Init(&tiling, &pipe);
    GlobalTensor<int8_t> left, right;
    GlobalTensor<uint8_t> pairs;
    GlobalTensor<int32_t> out;
    left.SetGlobalBuffer((__gm__ int8_t*)a);
    right.SetGlobalBuffer((__gm__ int8_t*)b);
    pairs.SetGlobalBuffer((__gm__ uint8_t*)index);
    out.SetGlobalBuffer((__gm__ int32_t*)c);
    product.SetTensorA(left);
    product.SetTensorB(right, !TILING_KEY_IS(2));
    if (!TILING_KEY_IS(1)) {
        product.SetSparseIndex(pairs);
    }
    if (TILING_KEY_IS(3)) {
        GlobalTensor<int32_t> bias;
        bias.SetGlobalBuffer((__gm__ int32_t*)c);
        product.SetBias(bias);
    }
    product.IterateAll(out);
    product.End();
}
"""
CASES = [
    mm.Tiling(32, 64, 128, (32, 64, 128), (32, 64, 128)),
    mm.Tiling(48, 80, 256, (48, 80, 256), (16, 32, 64), (1, 1, 2, 2), (2, 2)),
    mm.Tiling(20, 40, 192, (20, 40, 192), (32, 16, 64), (1, 2, 3, 3)),
]


@pytest.fixture(scope="module")
def sparse() -> Any:
    return cannery.compile_kernel(SOURCE, "sparse")


def operands(tiling: mm.Tiling, rng: np.random.Generator) -> tuple[Any, ...]:
    """Returns A, all of B (N x K), the kept values and their index."""
    m, n, k = tiling.m, tiling.n, tiling.k
    a = rng.integers(-9, 10, (m, k)).astype(np.int8)
    kept = rng.integers(1, 9, (n, k // 4, 2)).astype(np.int8)
    places = np.sort(rng.permuted(np.tile(np.arange(4), (n, k // 4, 1)), axis=2)[..., :2], axis=2)
    b = np.zeros((n, k // 4, 4), np.int8)
    np.put_along_axis(b, places, kept, axis=2)
    fields = places - [0, 1]  # the second number counts from the second value on
    pairs = (fields[..., 0] | fields[..., 1] << 2).astype(np.uint8)
    index = pairs[:, 0::2] | pairs[:, 1::2] << 4
    rows = mm.up(n, 16)
    padded = np.zeros((rows, k // 8), np.uint8)
    padded[:n] = index
    stripes = padded.reshape(rows, k // 64, 8).transpose(1, 0, 2)
    return a, b.reshape(n, k), kept.reshape(n, k // 2), np.ascontiguousarray(stripes)


@pytest.mark.parametrize("tiling", CASES)
def test_products(sparse: Any, rng: np.random.Generator, tiling: mm.Tiling) -> None:
    a, b, kept, index = operands(tiling, rng)
    c = np.zeros((tiling.m, tiling.n), np.int32)
    sparse(1, a, kept, index, c, tiling=tiling.pack(), tiling_key=0)
    np.testing.assert_array_equal(c, a.astype(np.int32) @ b.astype(np.int32).T)


@pytest.mark.parametrize(
    ("key", "sentence"),
    [
        (1, "T489 operand missing: Iterate before SetSparseIndex"),
        (2, "T455 not modelled: a sparse B that SetTensorB does not set transposed"),
        (3, "T455 not modelled: MmadWithSparse with k 128, cmatrixSource 1"),
    ],
)
def test_what_is_refused(sparse: Any, rng: np.random.Generator, key: int, sentence: str) -> None:
    tiling = CASES[0]
    a, _, kept, index = operands(tiling, rng)
    given = mm.Tiling(32, 64, 128, (32, 64, 128), (32, 64, 128), bias=True)
    with pytest.raises(KernelError, match=sentence):
        sparse(1, a, kept, index, np.zeros((32, 64), np.int32), tiling=given.pack(), tiling_key=key)


@pytest.mark.parametrize(
    ("old", "new"), [("CFG_MDL", "CFG_NORM"), ("int8_t, true>;", "int8_t, false>;")]
)
def test_types_that_do_not_compile(old: str, new: str) -> None:
    changed = SOURCE.replace(old, new).replace("&& B::isTrans", "")
    with pytest.raises(CompileError, match="B is a transposed int8_t matrix in GM"):
        cannery.compile_kernel(changed, "sparse")
