# SPDX-License-Identifier: Apache-2.0
"""Tests tilings whose depths reserve more of L1 than there is. The chip does not check the sum: a
kernel runs if no copy goes behind the end of L1, and must be refused otherwise."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import cannery
from cannery import KernelError

from . import matmul_model as mm

SOURCE = """
#include "kernel_operator.h"
#define ASCENDC_CUBE_ONLY
#include "lib/matmul_intf.h"
using namespace AscendC;

constexpr MatmulConfig CFG_SPECIAL_MDL = GetSpecialMDLConfig();
constexpr MatmulConfig CFG_BASIC = GetBasicConfig(16, 256, 128);

template <const auto& CONFIG, typename IN, typename OUT>
__aicore__ inline void Multiply(GM_ADDR a, GM_ADDR b, GM_ADDR c, const TCubeTiling& tiling,
                                TPipe* pipe) {
    Matmul<MatmulType<TPosition::GM, CubeFormat::ND, IN>,
           MatmulType<TPosition::GM, CubeFormat::ND, IN>,
           MatmulType<TPosition::GM, CubeFormat::ND, OUT>,
           MatmulType<TPosition::GM, CubeFormat::ND, OUT>, CONFIG> product;
    product.Init(&tiling, pipe);
    GlobalTensor<IN> left, right;
    GlobalTensor<OUT> out;
    left.SetGlobalBuffer((__gm__ IN*)a);
    right.SetGlobalBuffer((__gm__ IN*)b);
    out.SetGlobalBuffer((__gm__ OUT*)c);
    product.SetTensorA(left);
    product.SetTensorB(right);
    product.IterateAll(out);
    product.End();
}

extern "C" __global__ __aicore__ void depth(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR tilingGm) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    TPipe pipe;
    TCubeTiling tiling;
    int32_t* words = (int32_t*)&tiling;
    for (uint32_t i = 0; i < sizeof(TCubeTiling) / 4; ++i) {
        words[i] = ((__gm__ int32_t*)tilingGm)[i];
    }
    if (TILING_KEY_IS(0)) {
        Multiply<CFG_NORM, half, float>(a, b, c, tiling, &pipe);
    } else if (TILING_KEY_IS(1)) {
        Multiply<CFG_MDL, half, float>(a, b, c, tiling, &pipe);
    } else if (TILING_KEY_IS(2)) {
        Multiply<CFG_SPECIAL_MDL, half, float>(a, b, c, tiling, &pipe);
    } else if (TILING_KEY_IS(3)) {
        Multiply<CFG_BASIC, half, float>(a, b, c, tiling, &pipe);
    } else if (TILING_KEY_IS(4)) {
        Multiply<CFG_NORM, int8_t, int32_t>(a, b, c, tiling, &pipe);
    }
}
"""
NORM, MDL, SPECIAL_MDL, BASIC, NORM_INT8 = range(5)


@dataclass(frozen=True)
class Product:
    """A base block of A has 4 KiB, one of B 64 KiB. L1 has 512 KiB, 16 KiB less than the
    default depths of 4 and 8 reserve."""

    steps: int  #: number of K steps
    columns: int = 1  #: number of blocks of C along N
    rows: int = 1  #: number of blocks of C along M
    depths: tuple[int, int] = (4, 8)
    step: tuple[int, int, int, int] = (1, 1, 1, 1)  #: stepM, stepN, stepKa, stepKb
    order: int = 0


@pytest.fixture(scope="module")
def kernel() -> Any:
    return cannery.compile_kernel(SOURCE, "depth")


def run(kernel: Any, key: int, product: Product) -> None:
    narrow = key == NORM_INT8
    dtype = "int8_t" if narrow else "half"
    base = (16, 256, 256) if narrow else (16, 256, 128)
    m, n, k = (
        count * base[i] for i, count in enumerate((product.rows, product.columns, product.steps))
    )
    tiling = mm.Tiling(m, n, k, (m, n, k), base, product.step, order=product.order)
    words = np.frombuffer(tiling.pack(), np.int32).copy()
    words[mm.FIELDS["depthA1"]], words[mm.FIELDS["depthB1"]] = product.depths
    rng = np.random.default_rng(1)
    a, b = mm.draw(rng, (m, k), dtype), mm.draw(rng, (k, n), dtype)
    c = np.zeros((m, n), np.int32 if narrow else np.float32)
    kernel(1, a, b, c, tiling=words.tobytes(), tiling_key=key)
    assert np.array_equal(c, mm.product(a, b))


@pytest.mark.parametrize("key", [NORM, BASIC, NORM_INT8])
def test_norm_uses_what_k_needs(kernel: Any, key: int) -> None:
    """With Norm, L1 holds the base blocks of all K steps; the address of B depends on depthA1."""
    run(kernel, key, Product(steps=7))
    with pytest.raises(KernelError, match=r"T481 L1 full: .* of B to L1\+0x74000, end 0x84000 > "):
        run(kernel, key, Product(steps=8))
    run(kernel, key, Product(steps=8, depths=(4, 4)))  # K does not fit: the rest takes turns


def test_norm_and_the_order(kernel: Any) -> None:
    """The operand of the fast axis needs room for a group of blocks, the other for one block."""
    group = Product(steps=4, columns=2, rows=2, step=(1, 2, 1, 1))
    with pytest.raises(KernelError, match=r"T481 L1 full: .* of B"):
        run(kernel, NORM, group)
    run(kernel, NORM, replace(group, order=1))
    run(kernel, NORM, replace(group, steps=3))


def test_norm_with_one_k_step(kernel: Any) -> None:
    """If K has one step and the depth is 2, two buffers take turns."""
    one = Product(steps=1, depths=(97, 2))
    run(kernel, NORM, one)
    with pytest.raises(KernelError, match=r"T481 L1 full: .* of B to L1\+0x71000, end 0x81000"):
        run(kernel, NORM, replace(one, columns=2))
    run(kernel, NORM, replace(one, columns=2, depths=(96, 2)))


def test_a_alone_leaves_no_room(kernel: Any) -> None:
    with pytest.raises(KernelError, match=r"T481 L1 full: .* of B to L1\+0x80000"):
        run(kernel, NORM, Product(steps=1, depths=(128, 1)))
    with pytest.raises(KernelError, match=r"T481 L1 full: .* of B to L1\+0x81000"):
        run(kernel, NORM, Product(steps=1, depths=(129, 1)))


@pytest.mark.parametrize("key", [MDL, SPECIAL_MDL])
def test_mdl_fills_two_buffers_in_turn(kernel: Any, key: int) -> None:
    four = Product(steps=4, step=(1, 1, 4, 4))
    run(kernel, key, four)
    run(kernel, key, replace(four, steps=6, depths=(8, 8)))  # the second buffer is half full
    with pytest.raises(KernelError, match=r"T481 L1 full: .* of B to L1\+0x44000, end 0x84000"):
        run(kernel, key, replace(four, steps=8))
    with pytest.raises(KernelError, match=r"T481 L1 full: .* of B"):
        run(kernel, key, replace(four, columns=2))


@pytest.mark.parametrize("depth", [3, 8, 9])
def test_mdl_has_no_third_buffer(kernel: Any, depth: int) -> None:
    run(kernel, MDL, Product(steps=4, columns=2, depths=(depth, depth)))


@pytest.mark.parametrize("key", [NORM, MDL])
def test_pedantic_refuses_what_is_documented(kernel: Any, key: int) -> None:
    """The documentation wants L1 to hold depthA1 and depthB1 base blocks."""
    step = (1, 1, 1, 1) if key == NORM else (1, 1, 4, 4)
    with cannery.use(mode="pedantic"):
        with pytest.raises(KernelError, match="T481 L1 full: depthA1 and depthB1 base blocks"):
            run(kernel, key, Product(steps=4, step=step))
        run(kernel, key, Product(steps=4, step=step, depths=(4, 4)))


def test_norm_does_not_read_step_k(kernel: Any) -> None:
    """Only MDL wants the depths to be multiples of the steps."""
    odd = Product(steps=4, depths=(5, 5), step=(1, 1, 3, 2))
    run(kernel, NORM, odd)
    with pytest.raises(KernelError, match="T480 illegal tiling: depthA1 is 5"):
        run(kernel, MDL, odd)
