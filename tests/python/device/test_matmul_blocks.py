# SPDX-License-Identifier: Apache-2.0
"""Tests Matmul objects that give single blocks of C: into the kernel's own L0C (CO1), and K step by
K step (isPartialOutput)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import cannery
from cannery import CompileError, KernelError

from . import matmul_model as mm

M, N, K = 32, 64, 64
TILING = mm.Tiling(M, N, K, (M, N, K), (32, 32, 32))
STEPS = K // 32
SOURCE = """
#include "kernel_operator.h"
#define ASCENDC_CUBE_ONLY
#include "lib/matmul_intf.h"
using namespace AscendC;

__aicore__ inline constexpr MatmulConfig PartialConfig() {
    MatmulConfig config = CFG_MDL;
    config.isPartialOutput = true;
    return config;
}
constexpr MatmulConfig CFG_PARTIAL = PartialConfig();

template <TPosition position, CubeFormat format, const auto& CONFIG>
using Product = Matmul<MatmulType<TPosition::GM, CubeFormat::ND, half>,
                       MatmulType<TPosition::GM, CubeFormat::ND, half>,
                       MatmulType<position, format, float>,
                       MatmulType<TPosition::GM, CubeFormat::ND, float>, CONFIG>;

struct Arrays {
    GlobalTensor<half> a, b;
    GlobalTensor<float> bias, c;
};

template <class P>
__aicore__ inline void Set(P& product, const Arrays& gm, const TCubeTiling& tiling, TPipe* pipe) {
    product.Init(&tiling, pipe);
    product.SetTensorA(gm.a);
    product.SetTensorB(gm.b);
}

/// Lets Matmul fill two blocks side by side, and copies both out at once.
__aicore__ inline void OwnL0C(const Arrays& gm, const TCubeTiling& tiling, bool sum, TPipe* pipe) {
    Product<TPosition::CO1, CubeFormat::NZ, CFG_NORM> product;
    Set(product, gm, tiling, pipe);
    if (tiling.isBias) {
        product.SetBias(gm.bias);
    }
    TQue<TPosition::CO1, 1> queue;
    pipe->InitBuffer(queue, 1, tiling.baseM * tiling.singleCoreN * sizeof(float));
    LocalTensor<float> block = queue.AllocTensor<float>();
    uint32_t at = 0;
    while (product.Iterate(sum && at != 0, block[sum ? 0 : at])) {
        at += tiling.baseM * tiling.baseN;
    }
    FixpipeParamsV220 params;
    params.mSize = tiling.baseM;
    params.nSize = sum ? tiling.baseN : tiling.singleCoreN;
    params.srcStride = tiling.baseM;
    params.dstStride = tiling.N;
    queue.EnQue(block);
    block = queue.DeQue<float>();
    Fixpipe<float, float, CFG_ROW_MAJOR>(gm.c, block, params);
    queue.FreeTensor(block);
    queue.FreeAllEvent();
    product.End();
}

__aicore__ inline void Parts(const Arrays& gm, const TCubeTiling& tiling, bool sum, bool bias,
                             TPipe* pipe) {
    Product<TPosition::GM, CubeFormat::ND, CFG_PARTIAL> product;
    Set(product, gm, tiling, pipe);
    if (bias) {
        product.SetBias(gm.bias);
    }
    uint32_t at = 0;
    while (product.Iterate(sum)) {
        product.GetTensorC(gm.c[at], 0, true);
        at += tiling.baseM * tiling.baseN;
    }
    product.End();
}

extern "C" __global__ __aicore__ void blocks(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c,
                                             GM_ADDR tilingGm) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    TPipe pipe;
    TCubeTiling tiling;
    int32_t* words = (int32_t*)&tiling;
    for (uint32_t i = 0; i < sizeof(TCubeTiling) / 4; ++i) {
        words[i] = ((__gm__ int32_t*)tilingGm)[i];
    }
    Arrays gm;
    gm.a.SetGlobalBuffer((__gm__ half*)a);
    gm.b.SetGlobalBuffer((__gm__ half*)b);
    gm.bias.SetGlobalBuffer((__gm__ float*)bias);
    gm.c.SetGlobalBuffer((__gm__ float*)c);
    if (TILING_KEY_IS(0)) {
        OwnL0C(gm, tiling, false, &pipe);
    } else if (TILING_KEY_IS(1)) {
        Parts(gm, tiling, false, false, &pipe);
    } else if (TILING_KEY_IS(2)) {
        Parts(gm, tiling, true, false, &pipe);
    } else if (TILING_KEY_IS(3)) {
        Parts(gm, tiling, false, true, &pipe);
    } else if (TILING_KEY_IS(4)) {
        OwnL0C(gm, tiling, true, &pipe);
    }
}
"""


@pytest.fixture(scope="module")
def blocks() -> Any:
    return cannery.compile_kernel(SOURCE, "blocks")


def operands(rng: np.random.Generator) -> tuple[mm.Array, ...]:
    a, b = rng.integers(-4, 5, (M, K)), rng.integers(-4, 5, (K, N))
    return a.astype(np.float16), b.astype(np.float16), rng.integers(-9, 9, N).astype(np.float32)


@pytest.mark.parametrize("bias", [False, True])
def test_blocks_in_the_kernels_own_memory(
    blocks: Any, rng: np.random.Generator, bias: bool
) -> None:
    a, b, added = operands(rng)
    c = np.zeros((M, N), np.float32)
    blocks(1, a, b, added, c, tiling=replace(TILING, bias=bias).pack(), tiling_key=0)
    expected = a.astype(np.float32) @ b.astype(np.float32) + (added if bias else 0)
    np.testing.assert_array_equal(c, expected)


def test_a_block_adds_to_the_kernels_own_memory(blocks: Any, rng: np.random.Generator) -> None:
    a, b, bias = operands(rng)
    c = np.zeros((M, N), np.float32)
    blocks(1, a, b, bias, c, tiling=TILING.pack(), tiling_key=4)
    product = a.astype(np.float32) @ b.astype(np.float32)
    np.testing.assert_array_equal(c[:, :32], product[:, :32] + product[:, 32:])


@pytest.mark.parametrize("order", [0, 1])
def test_each_k_step_is_a_block_of_its_own(
    blocks: Any, rng: np.random.Generator, order: int
) -> None:
    a, b, bias = operands(rng)
    c = np.zeros((N // 16, STEPS, 16, 16), np.float32)
    small = replace(TILING, single=(16, N, K), base=(16, 16, 32), order=order)
    blocks(1, a, b, bias, c, tiling=small.pack(), tiling_key=1)
    for block in range(N // 16):
        for step in range(STEPS):
            k = slice(32 * step, 32 * step + 32)
            left = a[:16, k].astype(np.float32)
            right = b[k, 16 * block : 16 * block + 16].astype(np.float32)
            np.testing.assert_array_equal(c[block, step], left @ right)


@pytest.mark.parametrize(
    ("key", "sentence"),
    [(2, r"T484 no block to add to: Iterate\(true\)"), (3, "T487 no bias: SetBias with isPartial")],
)
def test_what_partial_output_refuses(blocks: Any, key: int, sentence: str) -> None:
    with pytest.raises(KernelError, match=sentence):
        blocks(
            1,
            np.zeros((M, K), np.float16),
            np.zeros((K, N), np.float16),
            np.zeros(N, np.float32),
            np.zeros((STEPS, M, N), np.float32),
            tiling=replace(TILING, bias=True).pack(),
            tiling_key=key,
        )


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ("product.GetTensorC(gm.c);", "GetTensorC: C's position is CO1"),
        ("product.IterateAll(gm.c);", "IterateAll: C's position is CO1"),
        ("product.Iterate();", "Iterate: C's position is CO1"),
    ],
)
def test_calls_for_memory_of_matmul(wrong: str, sentence: str) -> None:
    changed = SOURCE.replace(
        "    TQue<TPosition::CO1, 1> queue;", wrong + "\n    TQue<TPosition::CO1, 1> queue;"
    )
    with pytest.raises(CompileError, match=sentence):
        cannery.compile_kernel(changed, "blocks")
