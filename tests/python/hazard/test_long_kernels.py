# SPDX-License-Identifier: Apache-2.0
"""The checker must check a long kernel's accesses to GM while the kernel runs."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

pytestmark = pytest.mark.twin_only("the hazard checker is the twin's")

# In each phase, each block has its own row of `gm`, and writes there at addresses that do not
# overlap. With `race`, each block also writes into the next block's row at the end.
SOURCE = """\
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void walk(GM_ADDR gm, int32_t rounds, int32_t phases,
                                           int32_t race) {
    constexpr int32_t kRow = 4096;
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    GlobalTensor<float> all;
    all.SetGlobalBuffer((__gm__ float*)gm);
    pipe.InitBuffer(buffer, 512);
    LocalTensor<float> ones = buffer.Get<float>();
    const int32_t block = GetBlockIdx();
    const int32_t blocks = GetBlockNum();
    Duplicate(ones, 1.0f, 128);
    PipeBarrier<PIPE_ALL>();
    for (int32_t phase = 0; phase < phases; ++phase) {
        const int32_t row = (block + phase) % blocks * kRow;
        for (int32_t round = 0; round < rounds; ++round) {
            DataCopy(all[row + round % 32 * 104], ones, 8);
            PipeBarrier<PIPE_MTE3>();
        }
        if (phases > 1) {
            SyncAll();
        }
    }
    if (race != 0) {
        DataCopy(all[(block + 1) % blocks * kRow + 3504], ones, 8);
        DataCopy(all[block * kRow + 3504], ones, 8);
    }
}
"""

CHILD = """\
import json, resource, sys
import numpy as np
import cannery

source, blocks, rounds, phases, race, threads, order = sys.argv[1], *map(int, sys.argv[2:])
kernel = cannery.compile_kernel(source, "walk")
gm = np.zeros((blocks, 4096), np.float32)
def run(rounds):
    try:
        kernel(blocks, gm, rounds, phases, race)
    except cannery.HazardError as error:
        return [error.incomplete, [[h.code, h.first.line, h.second.line, h.first.core,
                                    h.second.core, h.count, h.begin, h.bytes]
                                   for h in error.hazards]]
    return [False, []]
with cannery.use(hazards="auto-sync", threads=threads, core_order=order):
    run(1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = run(rounds)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps({"found": found, "grown": (after - before) >> 10}))
"""

BLOCKS = 16


def walk(rounds: int, phases: int, race: bool, threads: int, order: int) -> dict[str, Any]:
    """Returns the findings of a separate process, and by how many MiB its memory has grown."""
    values = map(str, (BLOCKS, rounds, phases, int(race), threads, order))
    done = subprocess.run(
        [sys.executable, "-c", CHILD, SOURCE, *values],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


@pytest.mark.slow
@pytest.mark.parametrize("phases", [1, pytest.param(24, marks=pytest.mark.release)])
@pytest.mark.parametrize("threads", [pytest.param(1, marks=pytest.mark.release), 2])
def test_memory_does_not_grow_with_the_kernel(threads: int, phases: int) -> None:
    """The checker must not keep the records of all 9.6 million copies, which take 300 MiB."""
    long = walk(600_000 // phases, phases, True, threads, 0)
    assert long["found"] == walk(40, phases, True, 1, 0)["found"]
    incomplete, found = long["found"]
    line = SOURCE[: SOURCE.index("DataCopy(all[(block + 1)")].count("\n") + 1
    assert not incomplete
    assert [(code, {first, second}) for code, first, second, *_ in found] == [
        ("T813", {line, line + 1})
    ]
    assert long["grown"] < 150


@pytest.mark.slow
def test_long_kernels_give_the_same_on_every_schedule() -> None:
    told = [walk(20_000, 3, True, *schedule)["found"] for schedule in ((1, 0), (2, 7), (1, 99))]
    assert told[0][1]
    assert told.count(told[0]) == len(told)
    assert walk(20_000, 3, False, 2, 5)["found"] == [False, []]
