# SPDX-License-Identifier: Apache-2.0
"""A finding between two cores must have the same words, whichever core runs first."""

from __future__ import annotations

import numpy as np
import pytest

import cannery

pytestmark = pytest.mark.twin_only("the hazard checker is the twin's")

# The block `late` waits in a loop before it accesses the data that other blocks also access.
SOURCE = """\
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void meet(GM_ADDR in, GM_ADDR gm, int32_t late) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    GlobalTensor<float> from, to;
    from.SetGlobalBuffer((__gm__ float*)in);
    to.SetGlobalBuffer((__gm__ float*)gm);
    pipe.InitBuffer(buffer, 512);
    LocalTensor<float> ones = buffer.Get<float>();
    LocalTensor<float> back = ones[64];
    const int32_t block = GetBlockIdx();
    DataCopy(ones, from, 64);
    PipeBarrier<PIPE_ALL>();
    for (volatile int32_t i = 0; block == late && i < 3000000; i = i + 1) {
    }
    DataCopy(to[block * 64], ones, 64);              // clears the row of this block
    PipeBarrier<PIPE_ALL>();
    SetAtomicAdd<float>();
    for (int32_t row = 0; row < 4; ++row) {
        DataCopy(to[row * 64], ones, 64);            // adds 1 to the rows of all blocks
    }
    SetAtomicNone();
    PipeBarrier<PIPE_ALL>();
    DataCopy(back, to[(block + 1) % 4 * 64], 64);    // reads a sum in the next block's row
    PipeBarrier<PIPE_ALL>();
    DataCopy(to[256 + 32 * block], ones, 64);        // overlaps half of the next block's range
    PipeBarrier<PIPE_ALL>();
    DataCopy(back, to[256 + 32 * (block + 1)], 64);  // reads the next block's range
    PipeBarrier<PIPE_ALL>();
    if (block == 0) {
        DataCopy(to[896], ones, 64);                 // sets no flag for block 1
    } else if (block == 1) {
        DataCopy(back, to[896], 64);                 // waits for no flag of block 0
    }
    to[448].SetValue(block, 1.0f);                   // all blocks write this cache line
    const float old = to[512].GetValue(0);           // this line stays in the data cache
    to[576 + 16 * block].SetValue(0, old);           // this line is written back at the end
    SyncAll();
    if (block == 2) {
        DataCopy(to[512], ones, 64);
        PipeBarrier<PIPE_ALL>();
    }
    SyncAll();
    const float now = to[512].GetValue(0);
    DataCopy(back, to[576 + 16 * ((block + 1) % 4)], 8);
}
"""
# All blocks write the same row. Block 0 is the last one, because it waits for block 2.
ROW = """\
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void row(GM_ADDR in, GM_ADDR gm, GM_ADDR flags) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    GlobalTensor<float> from, to;
    GlobalTensor<int32_t> slots;
    from.SetGlobalBuffer((__gm__ float*)in);
    to.SetGlobalBuffer((__gm__ float*)gm);
    slots.SetGlobalBuffer((__gm__ int32_t*)flags);
    pipe.InitBuffer(buffer, 1024);
    LocalTensor<float> ones = buffer.Get<float>();
    LocalTensor<int32_t> room = ones[64].ReinterpretCast<int32_t>();
    DataCopy(ones, from, 64);
    PipeBarrier<PIPE_ALL>();
    if (GetBlockIdx() == 2) {
        IBSet(slots, room, 2, 0);
    } else if (GetBlockIdx() == 0) {
        IBWait(slots, room, 2, 0);
    }
    DataCopy(to, ones, 64);
}
"""
CODES = {"T311", "T312", "T313", "T314", "T811", "T813"}


def message(kernel: cannery.Kernel, late: int) -> str:
    with pytest.raises(cannery.HazardError) as caught:
        kernel(4, np.ones(64, np.float32), np.zeros(1024, np.float32), late)
    assert {hazard.code for hazard in caught.value.hazards} >= CODES
    assert not caught.value.incomplete
    return str(caught.value)


@pytest.mark.parametrize("level", ["auto-sync", "explicit"])
def test_every_schedule_gives_the_same_words(level: str) -> None:
    kernel = cannery.compile_kernel(SOURCE, "meet")
    said = set()
    for threads in (1, 2, 4):
        for order in (0, 5, 77):
            for late in (-1, 0, 1, 3):
                with cannery.use(threads=threads, core_order=order, hazards=level):
                    said.add(message(kernel, late))
    assert len(said) == 1


def test_a_sum_is_cleared_added_to_and_read() -> None:
    """One finding names clear and add; another names add and read. Both advise SyncAll."""
    kernel = cannery.compile_kernel(SOURCE, "meet")
    with pytest.raises(cannery.HazardError) as caught:
        kernel(4, np.ones(64, np.float32), np.zeros(1024, np.float32), -1)
    lines = SOURCE.splitlines()
    clears, adds, reads = (
        next(i for i, line in enumerate(lines, 1) if f"// {mark}" in line)
        for mark in ("clears", "adds", "reads a sum")
    )
    pairs = [(h.first.line, h.second.line) for h in caught.value.hazards if h.code == "T314"]
    assert sorted(pairs) == [(clears, adds), (adds, reads)]
    assert all("SyncAll()" in h.missing for h in caught.value.hazards if h.code == "T314")


def test_the_lowest_clash_stands_for_its_lines() -> None:
    """If several cores conflict at one line, the message always names the two lowest cores."""
    kernel = cannery.compile_kernel(ROW, "row")
    found = []
    for launched in range(60):
        threads, order = (1, 2, 4)[launched % 3], launched
        with (
            cannery.use(threads=threads, core_order=order, hazards="explicit"),
            pytest.raises(cannery.HazardError) as caught,
        ):
            kernel(4, np.ones(64, np.float32), np.zeros(64, np.float32), np.zeros(128, np.int32))
        found.append(caught.value.hazards)
    assert all(hazards == found[0] for hazards in found[1:])
    (hazard,) = found[0]
    assert hazard.code == "T813"
    assert (hazard.first.core, hazard.second.core) == ("0 AIV", "1 AIV")
