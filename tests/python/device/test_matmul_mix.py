# SPDX-License-Identifier: Apache-2.0
"""Tests Matmul on vector cores: the cube core computes for them, and data goes through GM."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest

import cannery
from cannery import KernelError

from . import matmul_model as mm
from .conftest import DEVICE_KERNELS, Compile

pytestmark = pytest.mark.slow

Array = mm.Array
ALL_TO_GM, BLOCKS_TO_UB, ASYNC_BLOCKS, OPERANDS_FROM_UB, ASYNC_ALL = range(5)
NO_ANSWER, EARLY, NO_WORKSPACE, OTHER_LIST, SHARE_TO_UB, SHARE_BEYOND_UB = range(5, 11)
SCALE = 0.5


@pytest.fixture(scope="session")
def mix(compile_device: Compile) -> Any:
    return compile_device("matmul_mix")


def run(mix: Any, mode: int, a: Array, b: Array, tiling: mm.Tiling, bias: Array | None) -> Array:
    m, n = a.shape[0], b.shape[1]
    c = np.full((m, n), 77, np.float32)
    tiling.bias = bias is not None
    data = tiling.pack() + struct.pack("<if", int(bias is not None), SCALE)
    vector = np.zeros(8, np.float32) if bias is None else bias
    blocks = -(-m // (2 * tiling.single[0]))
    room = 2 * blocks * max(tiling.single[0] * n, 4 * tiling.base[0] * tiling.base[1]) * 4
    mix(blocks, a, b, vector, c, workspace=room, tiling=data, tiling_key=mode)
    return c


@pytest.mark.parametrize("with_bias", [False, True])
@pytest.mark.parametrize("mode", [ALL_TO_GM, BLOCKS_TO_UB, ASYNC_BLOCKS, ASYNC_ALL])
def test_scaled_product(mix: Any, rng: np.random.Generator, mode: int, with_bias: bool) -> None:
    """Seven vector cores compute 251 rows: 40 rows each, and 11 for the last core."""
    m, n, k = 251, 120, 96
    a, b = mm.draw(rng, (m, k), "half"), mm.draw(rng, (k, n), "half")
    bias = mm.draw(rng, (n,), "float") if with_bias else None
    tiling = mm.Tiling(m, n, k, (40, n, k), (32, 64, 32), (1, 1, 3, 3), (2, 1))
    want = (mm.product(a, b) + (0 if bias is None else bias)) * SCALE
    assert np.array_equal(run(mix, mode, a, b, tiling, bias), want)


def test_operands_from_ub(mix: Any, rng: np.random.Generator) -> None:
    a, b = mm.draw(rng, (128, 128), "half"), mm.draw(rng, (128, 64), "half")
    tiling = mm.Tiling(128, 64, 128, (32, 64, 128), (32, 64, 64), (1, 1, 2, 2))
    got = run(mix, OPERANDS_FROM_UB, a, b, tiling, None)
    assert np.array_equal(got, mm.product(a, b) * SCALE)


def test_a_whole_share_into_ub(mix: Any, rng: np.random.Generator) -> None:
    """A product of several base blocks goes into one tensor in UB, row after row."""
    a, b = mm.draw(rng, (100, 96), "half"), mm.draw(rng, (96, 72), "half")
    tiling = mm.Tiling(100, 72, 96, (40, 72, 96), (32, 32, 64))
    got = run(mix, SHARE_TO_UB, a, b, tiling, None)
    assert np.array_equal(got, mm.product(a, b) * SCALE)


@pytest.mark.parametrize(
    ("mode", "good", "sentence"),
    [
        (NO_ANSWER, ASYNC_ALL, "T493 nobody answers: WaitIterateAll"),
        (NO_WORKSPACE, ASYNC_BLOCKS, "T494 no workspace: Iterate<false>"),
        (SHARE_BEYOND_UB, SHARE_TO_UB, "T496 C does not fit: IterateAll writes 512 elements"),
        (OTHER_LIST, ALL_TO_GM, "T492 unknown Matmul: request for object 1 of 1"),
    ],
)
def test_misuse(mix: Any, rng: np.random.Generator, mode: int, good: int, sentence: str) -> None:
    a, b = mm.draw(rng, (32, 32), "half"), mm.draw(rng, (32, 32), "half")
    tiling = mm.Tiling(32, 32, 32, (16, 32, 32), (16, 32, 32))
    with pytest.raises(KernelError, match=sentence):
        run(mix, mode, a, b, tiling, None)
    run(mix, good, a, b, tiling, None)


def test_more_vector_cores_than_the_library_stages_for(mix: Any, rng: np.random.Generator) -> None:
    a, b = mm.draw(rng, (16 * 66, 32), "half"), mm.draw(rng, (32, 32), "half")
    tiling = mm.Tiling(16 * 66, 32, 32, (16, 32, 32), (16, 32, 32))
    with pytest.raises(KernelError, match="T491 no room to stage"):
        run(mix, OPERANDS_FROM_UB, a, b, tiling, None)
    assert np.array_equal(run(mix, ALL_TO_GM, a, b, tiling, None), mm.product(a, b) * SCALE)


@pytest.mark.release
def test_no_cube_core(rng: np.random.Generator) -> None:
    a, b = mm.draw(rng, (32, 32), "half"), mm.draw(rng, (32, 32), "half")
    tiling = mm.Tiling(32, 32, 32, (16, 32, 32), (16, 32, 32))
    source = DEVICE_KERNELS / "matmul_mix.cpp"
    alone = cannery.compile_kernel(source, "matmul_mix", kernel_type="KERNEL_TYPE_AIV_ONLY")
    with pytest.raises(KernelError, match="T490 no cube core"):
        run(alone, ALL_TO_GM, a, b, tiling, None)


@pytest.mark.parametrize("mode", [ALL_TO_GM, BLOCKS_TO_UB])
def test_same_bits_on_every_schedule(mix: Any, rng: np.random.Generator, mode: int) -> None:
    a = rng.standard_normal((128, 256)).astype(np.float16)
    b = rng.standard_normal((256, 64)).astype(np.float16)
    tiling = mm.Tiling(128, 64, 256, (32, 64, 256), (32, 64, 64), (1, 1, 2, 2), (2, 2))
    seen = set()
    for threads, order in ((1, 0), (2, 0), (2, 7), (1, 3)):
        with cannery.use(threads=threads, core_order=order):
            seen.add(run(mix, mode, a, b, tiling, None).tobytes())
    assert len(seen) == 1


def test_vector_core_that_never_registers(mix: Any, rng: np.random.Generator) -> None:
    a, b = mm.draw(rng, (32, 32), "half"), mm.draw(rng, (32, 32), "half")
    tiling = mm.Tiling(32, 32, 32, (16, 32, 32), (16, 32, 32))
    with pytest.raises(KernelError, match=r"deadlock(.|\n)*Matmul requests or the end") as error:
        run(mix, EARLY, a, b, tiling, None)
    assert error.value.code == "T301"


CALLED_BACK = """
#include "kernel_operator.h"
#include "lib/matmul_intf.h"
using namespace AscendC;

__aicore__ inline void CopyC(const __gm__ void* gm, const LocalTensor<int8_t>& co1, const void* out,
                             const uint64_t tilingPtr, const uint64_t dataPtr) {
#ifdef __DAV_C220_CUBE__
    const auto* params = reinterpret_cast<const DataCopyOutParams*>(out);
    GlobalTensor<float> destination;
    destination.SetGlobalBuffer((__gm__ float*)gm);
    const uint16_t rows = params->burstLen / 2;
    FixpipeParamsV220 fixpipe(params->oriNSize, rows, (rows + 15) / 16 * 16, params->dstStride,
                              false);
    Fixpipe<float, float, CFG_ROW_MAJOR>(destination, co1.ReinterpretCast<float>(), fixpipe);
#endif
}

extern "C" __global__ __aicore__ void called_back(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR tiling) {
    GET_TILING_DATA_WITH_STRUCT(TCubeTiling, data, tiling);
    using T = MatmulType<TPosition::GM, CubeFormat::ND, half>;
    using C = MatmulType<TPosition::GM, CubeFormat::ND, float>;
    TPipe pipe;
    Matmul<T, T, C, C, CFG_NORM, MatmulCallBackFunc<CopyC, nullptr, nullptr>> product;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), product, &data);
    GlobalTensor<half> left, right;
    GlobalTensor<float> result;
    const int32_t row = GetBlockIdx() * data.singleCoreM;
    left.SetGlobalBuffer((__gm__ half*)a + row * data.Ka);
    right.SetGlobalBuffer((__gm__ half*)b);
    result.SetGlobalBuffer((__gm__ float*)c + row * data.N);
    product.SetTensorA(left);
    product.SetTensorB(right);
    product.IterateAll(result);
    product.End();
}
"""


@pytest.mark.release
def test_callbacks_are_those_of_the_cube_core(rng: np.random.Generator) -> None:
    """A callback runs on the cube core, even for a request of a vector core."""
    a, b = mm.draw(rng, (32, 64), "half"), mm.draw(rng, (64, 48), "half")
    tiling = mm.Tiling(32, 48, 64, (16, 48, 64), (16, 32, 32))
    c = np.full((32, 48), 77, np.float32)
    cannery.compile_kernel(CALLED_BACK, "called_back")(1, a, b, c, tiling=tiling.pack())
    assert np.array_equal(c, mm.product(a, b))
