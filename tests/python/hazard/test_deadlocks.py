# SPDX-License-Identifier: Apache-2.0
"""If no core can end a wait, the message must say who waits for what, and who could end it."""

from __future__ import annotations

import re

import numpy as np
import pytest

import cannery

from ..selection import rest_slow

pytestmark = pytest.mark.twin_only("a card hangs")

SOURCE = """\
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void waits(GM_ADDR work) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 4096);
    LocalTensor<int32_t> ub = buffer.Get<int32_t>();
    GlobalTensor<int32_t> flags;
    flags.SetGlobalBuffer((__gm__ int32_t*)work);
    const int32_t block = GetBlockIdx();
    BODY
}
"""
GROUP = """GroupBarrier<PipeMode::MTE3_MODE> barrier(work, 2, 3);
    if (block == 0) { barrier.Arrive(0); }
    barrier.Wait(block);"""

WAITS = {
    "IBWait": (
        "if (block == 2) { IBWait(flags, ub, 1, 4); }",
        "core 2 AIV waits for IBWait(block 1, event 4)",
        "needs IBSet(block 1, event 4) on core 1 AIV (ended)",
    ),
    "IBSet": (
        "if (block == 0) { IBSet(flags, ub, 0, 0); IBSet(flags, ub, 0, 0); }",
        "core 0 AIV waits for IBSet(block 0, event 0)",
        "needs IBWait(block 0, event 0) on core 1 AIV (ended), core 2 AIV (ended)",
    ),
    "soft SyncAll": (
        "if (block != 1) { SyncAll(flags, ub); }",
        "core 0 AIV waits for SyncAll",
        "needs SyncAll on core 1 AIV (ended)",
    ),
    "hard SyncAll": (
        "if (block != 1) { SyncAll(); }",
        "core 2 AIV waits for SyncAll",
        "needs SyncAll on core 1 AIV (ended)",
    ),
    "WaitPreBlock": (
        "InitDetermineComputeWorkspace(flags, ub); if (block != 1) { WaitPreBlock(flags, ub);"
        " NotifyNextBlock(flags, ub); }",
        "core 2 AIV waits for WaitPreBlock",
        "needs NotifyNextBlock on core 1 AIV (ended)",
    ),
    "NotifyNextBlock": (
        "InitDetermineComputeWorkspace(flags, ub); WaitPreBlock(flags, ub);"
        " if (block != 2) { NotifyNextBlock(flags, ub); WaitPreBlock(flags, ub); }",
        "core 0 AIV waits for WaitPreBlock",
        "needs NotifyNextBlock on core 2 AIV (ended)",
    ),
    "GroupBarrier": (
        GROUP,
        "core 0 AIV waits for GroupBarrier::Wait",
        "needs GroupBarrier::Arrive by 1 more of 2 cores on core 1 AIV, core 2 AIV",
    ),
    "CrossCoreWaitFlag": (
        "if (block == 0) { CrossCoreSetFlag<0, PIPE_MTE3>(5); CrossCoreWaitFlag(5); }",
        "core 0 AIV waits for CrossCoreWaitFlag(5)",
        "needs CrossCoreSetFlag<0, ...>(5) on core 1 AIV (ended), core 2 AIV (ended)",
    ),
}


@pytest.mark.parametrize("level", ["off", "auto-sync"])
@pytest.mark.parametrize("wait", rest_slow(WAITS, 2))
def test_a_wait_names_who_could_end_it(wait: str, level: str) -> None:
    body, waits, needs = WAITS[wait]
    kernel = cannery.compile_kernel(SOURCE.replace("BODY", body), "waits")
    with cannery.use(hazards=level), pytest.raises(cannery.KernelError) as caught:
        kernel(3, np.zeros(4096, np.int32))
    assert caught.value.code == "T301"
    assert waits in str(caught.value)
    assert needs in str(caught.value)


#: Waits that only the waiting core could end. Each wait fails at its own line with this code.
QUEUES = {
    "T201": "LocalTensor<float> a = in.AllocTensor<float>(); a = in.AllocTensor<float>();",
    "T202": "LocalTensor<float> a = in.DeQue<float>();",
    "T303": "WaitFlag<HardEvent::V_MTE3>(2);",
}


@pytest.mark.parametrize("mode", ["strict", "hardware"])
@pytest.mark.parametrize("code", QUEUES)
def test_a_wait_inside_one_core_ends_where_it_stands(code: str, mode: str) -> None:
    text = SOURCE.replace(
        "BODY", f"TQue<TPosition::VECIN, 1> in; pipe.InitBuffer(in, 1, 256);\n{QUEUES[code]}"
    )
    kernel = cannery.compile_kernel(text, "waits")
    with (
        cannery.use(mode=mode, hazards="auto-sync", timeout_s=1.0),  # type: ignore[arg-type]
        pytest.raises(cannery.KernelError) as caught,
    ):
        kernel(1, np.zeros(4096, np.int32))
    assert caught.value.code == code
    assert re.search(r"at waits\.cpp:13 ", str(caught.value))


MATMUL = """\
#include "kernel_operator.h"
#include "lib/matmul_intf.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void waits(GM_ADDR work, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    TPipe pipe;
    TCubeTiling t;
    auto* words = reinterpret_cast<uint32_t*>(&t);
    for (uint32_t i = 0; i < sizeof(TCubeTiling) / 4; ++i) {
        words[i] = reinterpret_cast<__gm__ uint32_t*>(tiling)[i];
    }
    using Gm = matmul::MatmulType<TPosition::GM, CubeFormat::ND, float>;
    matmul::Matmul<Gm, Gm, Gm> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
    if ASCEND_IS_AIV {
        CrossCoreWaitFlag(3);
    }
}
"""


@pytest.mark.slow
def test_the_server_of_matmul_names_its_clients() -> None:
    tiling = bytes(cannery.matmul_tiling(16, 16, 16))
    kernel = cannery.compile_kernel(MATMUL, "waits")
    with pytest.raises(cannery.KernelError) as caught:
        kernel(1, np.zeros(4096, np.int32), tiling=tiling)
    assert caught.value.code == "T301"
    assert "core 0 AIC waits for Matmul requests or the end of its vector cores" in str(
        caught.value
    )
    assert "needs a Matmul call, or the kernel's end, on core 1 AIV, core 2 AIV" in str(
        caught.value
    )
