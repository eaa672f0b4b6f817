# SPDX-License-Identifier: Apache-2.0
"""Tests the model of time for cores that wait for each other by reading GM in a loop."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import cannery
from cannery.profiling import Instruction, Launch

from ..selection import rest_slow

pytestmark = pytest.mark.twin_only("a card is measured, not modelled")

BLOCKS = 4
#: For each value of FORM, one block computes for about 17 us before it notifies other blocks.
SOURCE = """
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void meet(GM_ADDR sync, GM_ADDR out) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    TPipe pipe;
    TBuf<TPosition::VECCALC> values, flags;
    pipe.InitBuffer(values, 8192 * sizeof(float));
    pipe.InitBuffer(flags, 64 * 32);
    LocalTensor<float> a = values.Get<float>();
    LocalTensor<int32_t> ub = flags.Get<int32_t>();
    GlobalTensor<int32_t> gm;
    gm.SetGlobalBuffer((__gm__ int32_t*)sync);
    const uint32_t self = GetBlockIdx(), last = GetBlockNum() - 1;
    const auto work = [&](uint32_t who) {
        for (uint32_t i = 0; self == who && i < 200; ++i) {
            Duplicate(a, 1.0F, 8192);
        }
        PipeBarrier<PIPE_V>();
    };
#if FORM == 0  // all blocks wait for each other
    work(last);
    SyncAll(gm, ub);
    SyncAll(gm, ub);
#elif FORM == 1  // block 1 waits for block 0
    work(0);
    if (self == 0) {
        IBSet(gm, ub, 0, 0);
    } else if (self == 1) {
        IBWait(gm, ub, 0, 0);
    }
#elif FORM == 2  // each block waits for the block before it, in two rounds
    InitDetermineComputeWorkspace(gm, ub);
    for (uint32_t round = 0; round < 2; ++round) {
        WaitPreBlock(gm, ub);
        work(1);
        NotifyNextBlock(gm, ub);
    }
#elif FORM == 3  // the last block waits for all other blocks
    GroupBarrier<PipeMode::MTE3_MODE> barrier(sync, last, 1);
    for (uint32_t round = 0; round < 2; ++round) {
        work(0);
        if (self == last) {
            barrier.Wait(0);
        } else {
            SetFlag<HardEvent::V_MTE3>(0);
            WaitFlag<HardEvent::V_MTE3>(0);
            barrier.Arrive(self);
        }
    }
#endif
    PipeBarrier<PIPE_ALL>();
    Duplicate(a, 2.0F, 64);
    SetFlag<HardEvent::V_MTE3>(0);
    WaitFlag<HardEvent::V_MTE3>(0);
    GlobalTensor<float> to;
    to.SetGlobalBuffer((__gm__ float*)out);
    DataCopy(to[self * 64], a, 64);
    PipeBarrier<PIPE_ALL>();
}
"""
WORK_US = 200 * (17 + 128) / 1800


def launch(form: int, cache: Path) -> Launch:
    with cannery.use(cache_dir=cache):
        kernel = cannery.compile_kernel(SOURCE, "meet", defines=[f"FORM={form}"])
    sync = np.zeros(4096, np.int32)
    out = np.zeros(BLOCKS * 64, np.float32)
    with cannery.profile() as p:
        kernel(BLOCKS, sync, out)
    np.testing.assert_array_equal(out, 2)
    (found,) = p.launches
    return found


def end(each: Instruction) -> float:
    return each.start_us + each.us


def of(found: Launch, opcode: str, block: int | None = None) -> list[Instruction]:
    return [
        each
        for each in found.instructions
        if each.opcode == opcode and (block is None or each.block == block)
    ]


@pytest.mark.slow
def test_sync_all_through_memory(shared_cache: Path) -> None:
    found = launch(0, shared_cache)
    stores = {block: of(found, "SyncAll", block) for block in range(BLOCKS)}
    # In each SyncAll, a block reads and writes its own slot, and then reads all slots.
    assert {len(steps) for steps in stores.values()} == {6}
    assert [step.pipe for step in stores[0]] == ["MTE2", "MTE3", "MTE2"] * 2
    told = end(stores[BLOCKS - 1][1])
    assert told > WORK_US
    for block in range(BLOCKS):
        looks = stores[block][2]
        assert told < end(looks) < told + 2
        assert looks.us > (WORK_US / 2 if block + 1 < BLOCKS else 0)
        assert looks.cycles < 2000  # one read; earlier reads count as waiting
        assert block + 1 == BLOCKS or looks.waits_for == "other core"
        assert stores[block][3].start_us >= end(looks)
        # No block is late at the second SyncAll.
        assert stores[block][5].us < 3
    # Waiting cores repeat their reads; the repeated loads come from the L2 cache.
    plain = launch(1, shared_cache)
    assert found.gm_bytes > plain.gm_bytes + BLOCKS * 32 * BLOCKS
    assert found.l2_hit_rate > 0.5


@pytest.mark.slow
def test_pair(shared_cache: Path) -> None:
    found = launch(1, shared_cache)
    told = end(of(found, "IBSet", 0)[-1])
    (look, back) = of(found, "IBWait", 1)
    assert told > WORK_US
    assert told < end(look) < told + 2
    assert look.waits_for == "other core"
    assert back.start_us >= end(look)
    assert all(end(each) < 10 for each in found.instructions if each.block == 2)


@pytest.mark.slow
def test_one_after_the_other(shared_cache: Path) -> None:
    found = launch(2, shared_cache)
    for turn in range(2):
        for block in range(1, BLOCKS):
            told = end(of(found, "NotifyNextBlock", block - 1)[turn])
            looks = of(found, "WaitPreBlock", block)
            assert len(looks) == 4  # in each round: a read of earlier slots, then of the rest
            assert end(looks[2 * turn]) > told
            # In the second round, the first core waits for the last core of the first round.
        first = of(found, "WaitPreBlock", 0)[turn]
        assert turn == 0 or end(first) > end(of(found, "NotifyNextBlock", BLOCKS - 1)[0])
    assert found.task_us > 2 * WORK_US


@pytest.mark.slow
def test_groups(shared_cache: Path) -> None:
    found = launch(3, shared_cache)
    waits = of(found, "Wait", BLOCKS - 1)
    looks = [each for each in waits if each.pipe == "S"]
    assert len(looks) == 2
    for turn, look in enumerate(looks):
        told = end([each for each in of(found, "Arrive", 0) if each.pipe == "MTE3"][turn])
        assert told > (turn + 1) * WORK_US
        assert told < end(look) < told + 2
        assert look.waits_for == "other core"


@pytest.mark.parametrize("form", rest_slow(range(4)))
def test_same_figures_always(form: int, shared_cache: Path) -> None:
    first = launch(form, shared_cache)
    settings: list[dict[str, int]] = [{"threads": 1}, {"core_order": 3}, {"core_order": 11}, {}]
    for each in settings:
        with cannery.use(**each):  # type: ignore[arg-type]
            again = launch(form, shared_cache)
        assert again.header == first.header
        np.testing.assert_array_equal(again.instructions.rows, first.instructions.rows)


MATMUL = """
#include "kernel_operator.h"
#include "lib/matmul_intf.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void multiply(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR data) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    GET_TILING_DATA_WITH_STRUCT(TCubeTiling, tiling, data);
    TPipe pipe;
    Matmul<MatmulType<TPosition::GM, CubeFormat::ND, half>,
           MatmulType<TPosition::GM, CubeFormat::ND, half>,
           MatmulType<TPosition::GM, CubeFormat::ND, float>,
           MatmulType<TPosition::GM, CubeFormat::ND, float>> product;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), product, &tiling);
    if (GetBlockIdx() != 0) {
        return;
    }
    GlobalTensor<half> left, right;
    GlobalTensor<float> out;
    left.SetGlobalBuffer((__gm__ half*)a);
    right.SetGlobalBuffer((__gm__ half*)b);
    out.SetGlobalBuffer((__gm__ float*)c);
    product.SetTensorA(left);
    product.SetTensorB(right);
    product.IterateAll(out);
    product.End();
    TBuf<TPosition::VECCALC> values;
    pipe.InitBuffer(values, 256);
    LocalTensor<float> x = values.Get<float>();
    DataCopy(x, out, 64);
    PipeBarrier<PIPE_ALL>();
}
"""


@pytest.mark.slow
def test_vector_core_waits_for_its_matmul(shared_cache: Path) -> None:
    with cannery.use(cache_dir=shared_cache):
        kernel = cannery.compile_kernel(MATMUL, "multiply")
    tiling = cannery.matmul_tiling(128, 128, 256, c="float32", cores=1)
    a, b = np.ones((128, 256), np.float16), np.ones((256, 128), np.float16)
    c = np.zeros((128, 128), np.float32)
    with cannery.profile() as p:
        kernel(1, a, b, c, tiling=tiling.tobytes())
    np.testing.assert_array_equal(c, 256)
    (found,) = p.launches
    starts = of(found, "MatmulInit")  # one for each vector core of the block
    assert {(each.core, each.pipe) for each in starts} == {("0 AIC", "S")}
    assert starts[0].us == pytest.approx(3.64, abs=0.05)  # if the tiling is read at run time
    written = max(end(each) for each in found.instructions if each.pipe == "FIX")
    asked = [each for each in of(found, "MatmulRequest") if each.core == "0 AIV"]
    assert end(of(found, "MatmulAccept")[0]) > end(asked[0])
    (wait,) = of(found, "MatmulWait")
    assert end(wait) > written
    assert wait.waits_for == "other core"
    (load,) = [
        each for each in found.instructions if each.pipe == "MTE2" and each.core.endswith("AIV")
    ]
    assert load.start_us >= end(wait)
