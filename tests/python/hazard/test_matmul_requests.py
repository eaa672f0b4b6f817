# SPDX-License-Identifier: Apache-2.0
"""Tests the findings about Matmul requests of the two vector cores of a block: different requests
for one place in C, equal requests, and the part of UB that a request needs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cannery

from ..sources import HEAD, floats, line_of

pytestmark = pytest.mark.twin_only("the hazard checker is the twin's")

PRODUCT = """
#include "lib/matmul_intf.h"
using Half = matmul::MatmulType<TPosition::GM, CubeFormat::ND, half>;
using Float = matmul::MatmulType<TPosition::GM, CubeFormat::ND, float>;
extern "C" __global__ __aicore__ void k(GM_ADDR x, GM_ADDR y, uint32_t own, uint32_t place,
                                        uint32_t atomic, uint32_t before, uint32_t after,
                                        uint32_t bytes, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    GET_TILING_DATA_WITH_STRUCT(TCubeTiling, data, tiling);
    TPipe pipe;
    matmul::Matmul<Half, Half, Float, Float> product;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), product, &data);
    GlobalTensor<half> a;
    GlobalTensor<float> c;
    a.SetGlobalBuffer((__gm__ half*)x);
    c.SetGlobalBuffer((__gm__ float*)y);
    TBuf<TPosition::VECCALC> all;
    if (bytes != 0) {
        pipe.InitBuffer(all, bytes);
    }
    LocalTensor<float> tile(TPosition::VECIN, 0, 256);
    const int32_t half = GetSubBlockIdx() * 256;
    if (before == 1) {
        DataCopy(tile, c[half], 256);
    }
    product.SetTensorA(a[GetSubBlockIdx() * own]);
    product.SetTensorB(a);
    product.IterateAll(c[GetSubBlockIdx() * place], atomic);  // asks
    if (after >= 1) {
        DataCopy(tile, c[half], 256);
    }
    if (after == 2) {
        PipeBarrier<PIPE_ALL>();
        DataCopy(c[half], tile, 256);  // writes back
    }
    product.End();
}
"""
OWN = 1024
READS, WRITES_BACK = 1, 2


@pytest.fixture(scope="module")
def kernel() -> Any:
    return cannery.compile_kernel(HEAD + PRODUCT, "k")


@pytest.fixture
def product(kernel: Any) -> Any:
    """Returns a function that makes the call of a kernel whose vector cores make a request each.

    The request of the second core multiplies A at offset `own` and writes C at offset `place`, or
    adds to C with `atomic`. The cores read C `before` or `after` the request, or also write it back
    after the request. Their TPipe allocates `size` bytes of UB."""

    def call(
        own: int = 0,
        place: int = 0,
        atomic: bool = False,
        before: int = 0,
        after: int = 0,
        size: int = 0,
    ) -> Any:
        numbers = [np.uint32(each) for each in (own, place, atomic, before, after, size)]
        tiling = cannery.matmul_tiling(16, 32, 32)
        return lambda: kernel(1, np.ones(4096, np.float16), floats(4096), *numbers, tiling=tiling)

    return call


def test_both_vector_cores_ask_for_one_place(product: Any) -> None:
    with pytest.raises(cannery.HazardError) as caught:
        product(OWN)()
    (hazard,) = caught.value.hazards
    assert hazard.code == "T813"
    assert hazard.first is not None
    assert (hazard.first.core, hazard.second.core) == ("0 AIC for 0 AIV", "0 AIC for 0 AIV1")
    line = line_of(PRODUCT, "// asks")
    assert hazard.missing.startswith(
        f"other bytes of GM for each vector core that asks in line {line}"
    )
    product(OWN, OWN)()


def test_equal_requests_are_no_race_at_auto_sync(product: Any) -> None:
    """The cube core writes the same values twice. Only the level explicit reports this."""
    product()()
    with cannery.use(hazards="explicit"), pytest.raises(cannery.HazardError) as caught:
        product()()
    (hazard,) = caught.value.hazards
    assert hazard.code == "T813"
    assert "one request for both: if (GetSubBlockIdx() == 0)" in hazard.missing


def test_both_vector_cores_read_the_result_of_equal_requests(product: Any) -> None:
    call = product(after=READS)
    call()
    with cannery.use(hazards="explicit"), pytest.raises(cannery.HazardError) as caught:
        call()
    (read,) = (hazard for hazard in caught.value.hazards if hazard.code == "T811")
    assert "one request for both: if (GetSubBlockIdx() == 0)" in read.missing
    assert "SyncAll() on the vector cores between it and line" in read.missing


def test_a_read_before_the_own_request_is_a_race(product: Any) -> None:
    """The equal request of the other vector core may write C while this core reads C."""
    with pytest.raises(cannery.HazardError) as caught:
        product(before=READS)()
    (hazard,) = caught.value.hazards
    assert hazard.code == "T812"


def test_a_vector_core_that_changes_the_result_of_equal_requests(product: Any) -> None:
    """The request of the other vector core may overwrite what this core has changed."""
    with pytest.raises(cannery.HazardError) as caught:
        product(after=WRITES_BACK)()
    (hazard,) = caught.value.hazards
    assert hazard.code == "T813"
    assert hazard.second.line == line_of(PRODUCT, "// writes back")


@pytest.mark.parametrize("level", ["auto-sync", "explicit"])
def test_equal_atomic_requests_add_the_product_twice(product: Any, level: str) -> None:
    with cannery.use(hazards=level):
        with pytest.raises(cannery.HazardError) as caught:
            product(atomic=True)()
        product(OWN, atomic=True)()
    (hazard,) = caught.value.hazards
    line = line_of(PRODUCT, "// asks")
    assert hazard.code == "T814"
    assert hazard.first is not None
    assert (hazard.first.core, hazard.second.core) == ("0 AIC for 0 AIV", "0 AIC for 0 AIV1")
    assert hazard.missing == (
        f"one request for both: if (GetSubBlockIdx() == 0) around line {line}; the two requests "
        "have the same operands, so the cube core adds the product to C twice"
    )


def test_a_request_needs_the_end_of_ub(product: Any) -> None:
    with pytest.raises(cannery.KernelError, match="message of a Matmul request") as caught:
        product(OWN, OWN, size=196608)()
    assert caught.value.code == "T106"
    product(OWN, OWN, size=196544)()


def test_a_mix_kernel_has_all_of_ub() -> None:
    text = """
extern "C" __global__ __aicore__ void k(GM_ADDR x) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, BYTES);
    if ASCEND_IS_AIV {
        LocalTensor<float> tile = buffer.Get<float>();
        GlobalTensor<float> gm;
        gm.SetGlobalBuffer((__gm__ float*)x + GetBlockIdx() * 64);
        Duplicate(tile[196608 / 4 - 64], 1.0F, 64);
        PipeBarrier<PIPE_ALL>();
        DataCopy(gm, tile[196608 / 4 - 64], 64);
    }
}
"""
    out = floats(128)
    cannery.compile_kernel(HEAD + text.replace("BYTES", "196608"), "k")(1, out)
    assert out.tolist() == [1.0] * 128
    with pytest.raises(cannery.KernelError, match="T106"):
        cannery.compile_kernel(HEAD + text.replace("BYTES", "196640"), "k")(1, out)
