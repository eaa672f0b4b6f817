# SPDX-License-Identifier: Apache-2.0
"""Tests profiles of launches with more instructions than a profile keeps."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import cannery
from cannery.profiling import Launch, Profile, load_profile
from cannery.profiling.page import page_data, render
from cannery.profiling.startup import TERMS
from cannery.profiling.times import PIPES
from cannery.profiling.tracks import WAITS
from cannery.profiling.waits import Waits
from cannery.settings import KEPT_INSTRUCTIONS

from ..processes import PEAK_MIB

pytestmark = pytest.mark.twin_only("a card is measured, not modelled")

#: Core 0 runs 20 rounds, each other core 5. IBSet puts an instruction of the scalar unit into
#: the queue of another pipe.
SOURCE = """
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void rounds(GM_ADDR x, GM_ADDR y, GM_ADDR sync, uint32_t most) {
    TPipe pipe;
    TQue<TPosition::VECIN, 2> in;
    TQue<TPosition::VECOUT, 2> out;
    TBuf<TPosition::VECCALC> flags;
    pipe.InitBuffer(in, 2, 256);
    pipe.InitBuffer(out, 2, 256);
    pipe.InitBuffer(flags, 64 * 32);
    LocalTensor<int32_t> ub = flags.Get<int32_t>();
    GlobalTensor<int32_t> gm;
    gm.SetGlobalBuffer((__gm__ int32_t*)sync);
    GlobalTensor<float> from, to;
    from.SetGlobalBuffer((__gm__ float*)x);
    to.SetGlobalBuffer((__gm__ float*)y + GetBlockIdx() * 4096);
    for (uint32_t i = 0; i < (GetBlockIdx() == 0 ? most : most / 4); ++i) {
        LocalTensor<float> a = in.AllocTensor<float>();
        DataCopy(a, from[i % 64 * 64], 64);
        in.EnQue(a);
        a = in.DeQue<float>();
        LocalTensor<float> b = out.AllocTensor<float>();
        Add(b, a, a, 64);
        PipeBarrier<PIPE_V>();
        Adds(b, b, 1.0F, 64);
        out.EnQue(b);
        in.FreeTensor(a);
        b = out.DeQue<float>();
        DataCopy(to[i % 64 * 64], b, 64);
        out.FreeTensor(b);
    }
    if (GetBlockNum() > 1 && GetBlockIdx() == 0) {
        IBSet(gm, ub, 0, 0);
        IBSet(gm, ub, 1, 0);
    } else if (GetBlockIdx() == 1) {
        IBWait(gm, ub, 0, 0);
        IBWait(gm, ub, 1, 0);
    }
    SyncAll();
}
"""


@pytest.fixture(scope="module")
def kernel(shared_cache: Path) -> cannery.Kernel:
    with cannery.use(cache_dir=shared_cache):
        return cannery.compile_kernel(SOURCE, "rounds")


def profile_of(kernel: cannery.Kernel, keep: int = KEPT_INSTRUCTIONS) -> Profile:
    arrays = np.ones(4096, np.float32), np.zeros(4 * 4096, np.float32), np.zeros(4096, np.int32)
    with cannery.profile(keep=keep) as p:
        kernel(4, *arrays, 20)
    return p


def profiled(kernel: cannery.Kernel, keep: int = KEPT_INSTRUCTIONS) -> Launch:
    return profile_of(kernel, keep).launches[0]


def drawn(launch: Launch) -> dict[tuple[str, str, str], float]:
    """Returns the waiting times by kind, pipe and reason, from the rows of all instructions."""
    found: dict[tuple[str, str, str], float] = {}
    done: dict[tuple[int, int], int] = {}

    def add(core: int, pipe: int, reason: str, ticks: int) -> None:
        if ticks:
            key = launch.cores[core]["kind"], PIPES[pipe], reason
            found[key] = found.get(key, 0) + ticks

    for row in launch.instructions.rows.tolist():
        start, ticks, _, _, operation, core, why, pipe = row
        of = launch.cores[core]
        before = done.get((core, pipe), of["start"] + of["startup"][list(TERMS).index("core")])
        begin, end = max(start, before), max(start + ticks, before)
        act = launch.operations[operation]["act"]
        if act in WAITS:
            add(core, pipe, launch.reasons[why] or act, end - begin)
        if pipe != 0:
            add(core, pipe, "issue", begin - before)
        done[core, pipe] = end
    return found


def test_waits(kernel: cannery.Kernel) -> None:
    """The twin adds up the same waiting times as the timeline of all instructions shows."""
    launch = profiled(kernel)
    told: dict[tuple[str, str, str], float] = {}
    for kind, pipe, why, operation, ticks in launch.header["waits"]:
        key = kind, pipe, launch.reasons[why] or launch.operations[operation]["act"]
        told[key] = told.get(key, 0) + ticks
    code = list(TERMS).index("code")
    assert told.pop(("AIV", "S", "code")) == sum(core["startup"][code] for core in launch.cores)
    assert told == drawn(launch)
    assert {reason for _, _, reason in told} >= {"MTE2_V", "barrier", "issue", "other core"}


@pytest.mark.parametrize("keep", [0, 1, 100, 400])
def test_totals_count_all(kernel: cannery.Kernel, keep: int) -> None:
    """Figures do not depend on the number of kept instructions."""
    whole, part = profiled(kernel), profiled(kernel, keep=keep)
    assert len(part.instructions) <= keep < len(whole.instructions) == part.instruction_count
    assert whole.left_out == ""
    assert f"first {len(part.instructions)} of {part.instruction_count}" in part.left_out
    assert part.operations == whole.operations
    assert Waits(part).all == Waits(whole).all
    assert part.advice == whole.advice
    for name in ("task_us", "core_us", "busy_us", "bound", "roofline", "lines", "gm_bytes"):
        assert getattr(part, name) == getattr(whole, name)


def test_first_of_each_core(kernel: cannery.Kernel) -> None:
    """A core with few instructions leaves its part of the limit to the other cores."""
    whole = profiled(kernel)
    counts = [core["instructions"] for core in whole.cores]
    assert counts[0] > 2 * max(counts[1:])
    most = sum(counts[1:]) + counts[0] // 2
    part = profiled(kernel, keep=most)
    assert len(part.instructions) == most
    for core, count in enumerate(counts):
        kept, rows = (
            each.instructions.rows[each.instructions.rows["core"] == core] for each in (part, whole)
        )
        assert len(kept) == (counts[0] // 2 if core == 0 else count)
        assert kept.tolist() == rows[: len(kept)].tolist()


def test_threads(kernel: cannery.Kernel) -> None:
    """The number of threads changes nothing."""
    found = []
    for threads in (1, 4):
        with cannery.use(threads=threads):
            launch = profiled(kernel, keep=300)
        found.append((launch.header, launch.operations, launch.instructions.rows.tolist()))
    assert found[0] == found[1]


def test_saved(kernel: cannery.Kernel, tmp_path: Path) -> None:
    p = profile_of(kernel, keep=100)
    p.save(tmp_path / "a")
    (saved,) = load_profile(tmp_path / "a").launches
    assert saved.left_out == p.launches[0].left_out != ""
    assert saved.instructions.rows.tolist() == p.launches[0].instructions.rows.tolist()
    assert saved.addresses.tolist() == p.launches[0].addresses.tolist()
    assert saved.advice == p.launches[0].advice


@pytest.mark.parametrize("all_cores", [None, True])
def test_trace(kernel: cannery.Kernel, tmp_path: Path, all_cores: bool | None) -> None:
    """A trace of a part is the trace of the whole up to the time that its sentence names."""

    def events(launch: Launch) -> tuple[str, list[dict[str, object]]]:
        left_out = launch.trace(tmp_path / "t.json", all_cores=all_cores)
        found = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
        return left_out, [
            each for each in found if each["ph"] == "X" and each["cat"] not in ("issue", "start")
        ]

    whole, part = profiled(kernel), profiled(kernel, keep=400)
    nothing, every = events(whole)
    left_out, some = events(part)
    assert nothing == ""
    said = re.search(r"after the first ([0-9.]+) us are left out: (\d+) of (\d+) ", left_out)
    assert said
    assert some == [each for each in every if float(str(each["ts"])) < float(said[1])]
    assert (len(some), len(every)) == (int(said[2]), int(said[3]))
    assert 100 < len(some) <= 400


def test_page(kernel: cannery.Kernel) -> None:
    whole, part = profiled(kernel), profiled(kernel, keep=400)
    assert part.left_out in render(part)
    assert "The profile keeps" not in render(whole)
    all_data, some_data = page_data(whole), page_data(part)
    for name in ("advice", "kinds", "roofline", "files"):
        assert some_data[name] == all_data[name]
    loads, all_loads = some_data["timeline"]["gm"]["loads"], all_data["timeline"]["gm"]["loads"]
    known = len(np.trim_zeros(loads, "b"))
    assert 0 < known < len(np.trim_zeros(all_loads, "b"))
    assert loads[:known] == all_loads[:known]


def test_nothing_kept(kernel: cannery.Kernel, tmp_path: Path) -> None:
    part = profiled(kernel, keep=0)
    assert "0 of " in part.trace(tmp_path / "t.json")
    assert part.left_out in render(part)


@pytest.mark.parametrize("keep", [-1, 1 << 40])
def test_wrong_limit(keep: int) -> None:
    with pytest.raises(ValueError, match=f"profile: keep={keep}"):
        cannery.profile(keep=keep)


#: Prints the peak memory in MB of a profile of more than 10 million instructions of one core.
CHILD = f"""
import sys
from cannery.__main__ import main
sys.argv = ["cannery", "profile", *sys.argv[1:]]
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
print("peak", {PEAK_MIB})
"""


@pytest.mark.slow
@pytest.mark.parametrize("option", ["", "--save", "--trace", "--html"])
def test_memory(tmp_path: Path, option: str) -> None:
    """The memory of a profile does not grow with the number of instructions."""
    (tmp_path / "k.cpp").write_text(SOURCE)
    arguments = ["float32[4096]", "float32[16384]=zeros", "int32[4096]=zeros", "800000"]
    words = [f"{tmp_path / 'k.cpp'}:rounds", *(word for a in arguments for word in ("--arg", a))]
    words += ["--hazards", "off", *((option, str(tmp_path / "out")) if option else ())]
    done = subprocess.run(
        [sys.executable, "-c", CHILD, *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    text = " ".join(done.stdout.split())
    said = re.search(r"keeps the times of the first (\d+) of (\d+) instructions", text)
    assert said
    assert (int(said[1]), int(said[2]) > 10_000_000) == (500_000, True)
    assert ("--keep" in text) == (option == "--trace")
    peak = re.search(r"peak (\d+)", text)
    assert peak
    assert int(peak[1]) < 300
