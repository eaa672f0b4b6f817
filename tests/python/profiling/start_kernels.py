# SPDX-License-Identifier: Apache-2.0
"""Kernels whose launches mostly start; the tests of the start's terms profile them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

import cannery
from cannery.profiling import Launch

#: Each step ends before the next one begins, so every term of the start is on the critical path.
#: `%s` is replaced by calls, one on each line.
SERIAL = """
#include "kernel_operator.h"
using namespace AscendC;
#ifndef WORDS
#define WORDS 8
#endif
#ifndef BUFFERS
#define BUFFERS 1
#endif
#ifndef PAGES
#define PAGES 1
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif
struct Numbers {
    uint64_t values[WORDS];
};
extern "C" __global__ __aicore__ void begin(GM_ADDR x, GM_ADDR y, GM_ADDR data) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
#ifdef FETCH
    ICachePreLoad(FETCH);
#endif
    GET_TILING_DATA_WITH_STRUCT(Numbers, numbers, data);
    TPipe pipe;
    TQue<TPosition::VECIN, BUFFERS> queue;
    pipe.InitBuffer(queue, BUFFERS, 4096);
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 32768);
    LocalTensor<float> a = buffer.Get<float>();
    GlobalTensor<float> from, to;
    from.SetGlobalBuffer((__gm__ float*)x);
    to.SetGlobalBuffer((__gm__ float*)y);
    for (uint32_t page = 0; page < PAGES; ++page) {
        DataCopy(a, from[page * 524288 + GetBlockIdx() * 64], 64);
        PipeBarrier<PIPE_ALL>();
    }
    for (uint32_t round = 0; round < ROUNDS; ++round) {
%s
    }
    PipeBarrier<PIPE_ALL>();
    DataCopy(to[GetBlockIdx() * 64], a, 64);
    PipeBarrier<PIPE_ALL>();
}
"""
PAGE_FLOATS = 524288  #: floats in a page of 2 MiB

#: A kernel of both kinds of cores; only one of them stores.
MIXED = """
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void both(GM_ADDR y) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_1);
    if ASCEND_IS_AIV {
        LocalTensor<float> a(TPosition::VECCALC, 0, 64);
        GlobalTensor<float> to;
        to.SetGlobalBuffer((__gm__ float*)y);
        Duplicate(a, 1.0F, 64);
        PipeBarrier<PIPE_ALL>();
        DataCopy(to, a, 64);
        PipeBarrier<PIPE_ALL>();
    }
}
"""

#: Each core loads and stores tiles of BYTES without waiting, with LOADS loads for each store.
STREAM = """
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void stream(GM_ADDR x, GM_ADDR y) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    constexpr uint32_t kTile = BYTES / sizeof(float);
    LocalTensor<float> a(TPosition::VECCALC, 0, kTile);
    LocalTensor<float> b(TPosition::VECCALC, BYTES, kTile);
    GlobalTensor<float> from, to;
    from.SetGlobalBuffer((__gm__ float*)x);
    to.SetGlobalBuffer((__gm__ float*)y);
    for (uint32_t i = 0; i < 4; ++i) {
        const uint32_t place = GetBlockIdx() * 4 + i;
        for (uint32_t j = 0; j < LOADS; ++j) {
            DataCopy(a, from[(place * LOADS + j) * kTile], kTile);
        }
        DataCopy(to[place * kTile], b, kTile);
    }
}
"""

#: A padded load of ROWS rows of COLUMNS floats.
PADDED = """
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void padded(GM_ADDR x) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    LocalTensor<float> a(TPosition::VECCALC, 0, 16384);
    GlobalTensor<float> from;
    from.SetGlobalBuffer((__gm__ float*)x);
    DataCopyExtParams rows{ROWS, COLUMNS * sizeof(float), 0, 0, 0};
    DataCopyPad(a, from, rows, DataCopyPadExtParams<float>{true, 0, 0, 0.0F});
    PipeBarrier<PIPE_ALL>();
}
"""


def serial(
    cache: Path,
    *,
    blocks: int = 1,
    lines: int = 8,
    warm: bool = False,
    without: Iterable[str] = (),
    **defines: int,
) -> Launch:
    """Profiles SERIAL with `lines` calls on different lines."""
    calls = "\n".join("        Adds(a, a, 1.0F, 64);" for _ in range(lines))
    names = [f"{name}={value}" for name, value in defines.items()]
    with cannery.use(cache_dir=cache):
        kernel = cannery.compile_kernel(SERIAL % calls, "begin", defines=names)
    x = np.zeros(defines.get("PAGES", 1) * PAGE_FLOATS, np.float32)
    y = np.zeros(blocks * 64, np.float32)
    tiling = bytes(8 * defines.get("WORDS", 8))
    with cannery.profile(warm=warm, without=without) as p:
        kernel(blocks, x, y, tiling=tiling)
    np.testing.assert_array_equal(y, lines * defines.get("ROUNDS", 1))
    return p.launches[0]
