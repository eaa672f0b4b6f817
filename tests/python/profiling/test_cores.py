# SPDX-License-Identifier: Apache-2.0
"""Tests the model of time for cores that wait for each other."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import cannery

pytestmark = pytest.mark.twin_only("a card is measured, not modelled")

# The last block computes for a long time before the barrier, so the others wait for it.
BARRIER = """
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void meet(GM_ADDR out) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
    LocalTensor<float> a(TPosition::VECCALC, 0, 8192);
    GlobalTensor<float> to;
    to.SetGlobalBuffer((__gm__ float*)out);
    const uint32_t times = GetBlockIdx() + 1 == GetBlockNum() ? 200 : 1;
    for (uint32_t i = 0; i < times; ++i) {
        Duplicate(a, 1.0F, 8192);
    }
    SyncAll();
    SetFlag<HardEvent::V_MTE3>(0);
    WaitFlag<HardEvent::V_MTE3>(0);
    DataCopy(to[GetBlockIdx() * 8], a, 8);
    PipeBarrier<PIPE_ALL>();
}
"""

# The cube core sets a flag for its vector cores when its load has ended.
MIX = """
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void tell(GM_ADDR in, GM_ADDR out) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    GlobalTensor<float> from, to;
    from.SetGlobalBuffer((__gm__ float*)in);
    to.SetGlobalBuffer((__gm__ float*)out);
    if ASCEND_IS_AIC {
        LocalTensor<float> a(TPosition::A1, 0, 65536);
        DataCopy(a, from, 65536);
        CrossCoreSetFlag<2, PIPE_MTE2>(3);
        CrossCoreWaitFlag(4);
    }
    if ASCEND_IS_AIV {
        LocalTensor<float> b(TPosition::VECCALC, 0, 64);
        CrossCoreWaitFlag(3);
        Duplicate(b, 2.0F, 64);
        SetFlag<HardEvent::V_MTE3>(0);
        WaitFlag<HardEvent::V_MTE3>(0);
        DataCopy(to[GetBlockIdx() * 64], b, 64);
        CrossCoreSetFlag<2, PIPE_MTE3>(4);
    }
}
"""


def launch(
    source: str, name: str, cache: Path, blocks: int, *arrays: np.ndarray
) -> cannery.profiling.Launch:
    with cannery.use(cache_dir=cache):
        kernel = cannery.compile_kernel(source, name)
    with cannery.profile() as p:
        kernel(blocks, *arrays)
    (found,) = p.launches
    return found


def test_barrier_waits_for_the_last(shared_cache: Path) -> None:
    found = launch(BARRIER, "meet", shared_cache, 4, np.zeros(32, np.float32))
    (last,) = {
        each.start_us + each.us
        for each in found.instructions
        if each.opcode == "SyncAll" and each.block == 3
    }
    waits = [each for each in found.instructions if each.opcode == "SyncAll"]
    assert {round(each.start_us + each.us, 6) for each in waits} == {round(last, 6)}
    assert {each.waits_for for each in waits} == {"other core"}
    work = 200 * (24 + 128) / 1800
    assert all(each.us > work for each in waits[:3])
    stores = [each for each in found.instructions if each.opcode == "DataCopy"]
    assert all(each.start_us >= last for each in stores)


def test_flag_of_all_cores_takes_as_long_as_a_barrier(shared_cache: Path) -> None:
    flags = BARRIER.replace(
        "SyncAll();",
        "PipeBarrier<PIPE_ALL>();CrossCoreSetFlag<0, PIPE_MTE3>(2);CrossCoreWaitFlag(2);",
    )
    assert flags != BARRIER
    barrier, flag = (
        launch(source, "meet", shared_cache, 4, np.zeros(32, np.float32)).task_us
        for source in (BARRIER, flags)
    )
    assert flag == pytest.approx(barrier, abs=0.1)  # A flag of one block would save 1.9 us.


def test_flag_between_cores(shared_cache: Path) -> None:
    arrays = (np.zeros(65536, np.float32), np.zeros(128, np.float32))
    found = launch(MIX, "tell", shared_cache, 1, *arrays)
    assert set(found.busy_us) == {"AIV", "AIC"}
    (load,) = [each for each in found.instructions if each.pipe == "MTE2" and each.us > 1]
    fills = [each for each in found.instructions if each.opcode == "Duplicate"]
    assert len(fills) == 2
    assert all(each.start_us > load.start_us + load.us for each in fills)
    (back,) = [
        each
        for each in found.instructions
        if each.opcode == "CrossCoreWait" and each.core == "0 AIC"
    ]
    assert back.waits_for == "other core"
    assert back.start_us + back.us > max(each.start_us + each.us for each in fills)
