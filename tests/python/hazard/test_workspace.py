# SPDX-License-Identifier: Apache-2.0
"""The checker finds reads of unwritten bytes of a user workspace (T820): by copies, by the scalar
unit and by atomic copies. It reports nothing for correct uses of a workspace."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import cannery

from ..selection import rest_slow
from .verdicts import BOTH
from .zoo import FOLDER

pytestmark = pytest.mark.twin_only("the hazard checker is the twin's")

#: Each case is a branch of a switch. Two cores run it. Each core has its own part of `out` and of
#: `own`; both cores use the same `ws`. "// here" marks the line that a finding must name.
SOURCE = """
#include "kernel_operator.h"
using namespace AscendC;
constexpr uint32_t kElems = 64;
extern "C" __global__ __aicore__ void k(GM_ADDR x, GM_ADDR result, uint32_t which, GM_ADDR space) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> one, two, three;
    pipe.InitBuffer(one, kElems * sizeof(float));
    pipe.InitBuffer(two, kElems * sizeof(float));
    pipe.InitBuffer(three, 1024);
    LocalTensor<float> a = one.Get<float>(), b = two.Get<float>();
    LocalTensor<int32_t> sync = three.Get<int32_t>();
    GlobalTensor<float> in, out, ws, own;
    const uint32_t block = GetBlockIdx();
    in.SetGlobalBuffer((__gm__ float*)x, kElems);
    out.SetGlobalBuffer((__gm__ float*)result + block * kElems, kElems);
    ws.SetGlobalBuffer((__gm__ float*)space, 256);
    own.SetGlobalBuffer((__gm__ float*)space + 256 + block * 256, 256);
    const auto wait = [] { PipeBarrier<PIPE_ALL>(); };
    const auto clear = [&](GlobalTensor<float>& what) {
        InitGlobalMemory(what, 256, 0.0F);
        wait();
    };
    const auto add = [&](GlobalTensor<float>& to) {
        SetAtomicAdd<float>();
        DataCopy(to, a, kElems);
        SetAtomicNone();
    };
    const auto store = [&](uint32_t elems) {
        wait();
        DataCopyPad(out, b, DataCopyExtParams(1, elems * sizeof(float), 0, 0, 0));
        wait();
    };
    const auto clean = [&] {
        DataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE, DcciDst::CACHELINE_OUT>(out);
    };
    DataCopy(a, in, kElems);
    wait();
    switch (which) {
        CASES
    }
}
"""

#: Cases that must have a finding at the marked line.
WRONG = {
    "Copies": """
        DataCopy(b, own, kElems);  // here
        store(kElems);""",
    "WritesTooFew": """
        DataCopy(own, a, 40);
        wait();
        DataCopy(b, own, kElems);  // here
        wait();
        Adds(b, b, 1.0F, kElems);
        store(kElems);""",
    "ReadsRows": """
        DataCopyPad(own, a, DataCopyExtParams(2, 12, 0, 20, 0));
        wait();
        DataCopyPad(b, own, DataCopyExtParams(2, 16, 16, 0, 0), {true, 0, 4, 0.0F});  // here
        store(12);""",
    "ReadsAValue": """
        own.SetValue(0, 1.0F);
        out.SetValue(0, own.GetValue(1));  // here
        clean();""",
    "Adds": """
        SetAtomicAdd<float>();
        DataCopy(own, a, kElems);  // here
        SetAtomicNone();""",
    "AllAdd": """
        SetAtomicAdd<int32_t>();
        GlobalTensor<int32_t> sums;
        sums.SetGlobalBuffer((__gm__ int32_t*)space, 64);
        Duplicate(sync, 1, kElems);
        wait();
        DataCopy(sums, sync, kElems);  // here
        SetAtomicNone();""",
    "CopiesWordsBesideAPointerWrite": """
        ((__gm__ float*)space)[256 + block * 256] = 1.0F;
        DataCopy(b, own, kElems);  // here
        store(kElems);""",
    "ReadsHalfOfAValue": """
        GlobalTensor<int32_t> words;
        GlobalTensor<int64_t> values;
        words.SetGlobalBuffer((__gm__ int32_t*)space + 256 + block * 256, 256);
        values.SetGlobalBuffer((__gm__ int64_t*)space + 128 + block * 128, 128);
        words.SetValue(0, 5);
        out.SetValue(0, (float)values.GetValue(0));  // here
        clean();""",
    "Sums": """
        DataCopy(own, a, 32);
        wait();
        DataCopy(b, own, kElems);  // here
        wait();
        ReduceSum(b, b, sync.ReinterpretCast<float>(), kElems);
        store(1);""",
}

#: Cases that must have no finding.
RIGHT = {
    "CopiesTheValidPart": """
        DataCopy(own, a, 40);
        wait();
        DataCopy(b, own, kElems);
        wait();
        Adds(b, b, 1.0F, kElems);
        store(40);""",
    "OverwritesTheRest": """
        DataCopy(b, own, kElems);
        wait();
        Duplicate(b, 1.0F, kElems);
        store(kElems);""",
    "Clears": """
        clear(own);
        add(own);
        wait();
        DataCopy(b, own, kElems);
        store(kElems);""",
    "OneClearsForAll": """
        if (block == 0) {
            clear(ws);
        }
        SyncAll();
        add(ws);
        SyncAll();
        DataCopy(b, ws, kElems);
        store(kElems);""",
    "ReadsWhatOthersWrote": """
        DataCopy(ws[(1 - block) * kElems], a, kElems);
        SyncAll();
        DataCopy(b, ws[block * kElems], kElems);
        store(kElems);""",
    "ReadsRowsOfData": """
        DataCopyPad(own, a, DataCopyExtParams(2, 12, 0, 20, 0));
        wait();
        DataCopyPad(b, own, DataCopyExtParams(2, 12, 20, 0, 0), {true, 0, 5, 0.0F});
        store(16);""",
    "WritesBytesLikeTheFill": """
        Duplicate(b.ReinterpretCast<int32_t>(), 0x7FE97FD3, kElems);
        wait();
        DataCopy(own, b, kElems);
        wait();
        DataCopy(b, own, kElems);
        store(kElems);""",
    "ReadsItsValue": """
        own.SetValue(1, 1.0F);
        out.SetValue(0, own.GetValue(1));
        clean();""",
    "Preloads": """
        GlobalTensor<uint64_t> line;
        line.SetGlobalBuffer((__gm__ uint64_t*)space + 128 + block * 128, 8);
        DataCachePreload(line, 0);""",
    "WritesThroughAPointer": """
        for (uint32_t i = 0; i < kElems; ++i) {
            ((__gm__ float*)space)[256 + block * 256 + i] = 1.0F;
        }
        add(own);
        wait();
        DataCopy(b, own, kElems);
        store(kElems);""",
    "WritesMinusOneThroughAPointer": """
        for (uint32_t i = 0; i < kElems; ++i) {
            ((__gm__ int32_t*)space)[256 + block * 256 + i] = -1;
        }
        GlobalTensor<int32_t> words;
        words.SetGlobalBuffer((__gm__ int32_t*)space + 256 + block * 256, 256);
        const bool minus = words.GetValue(3) == -1;
        DataCopy(b, own, kElems);
        store(minus ? kElems : 8);""",
    "SynchronisesBySoftware": """
        GlobalTensor<int32_t> words;
        words.SetGlobalBuffer((__gm__ int32_t*)space, 64);
        if (block == 0) {
            InitGlobalMemory(words, 64, 0);
        }
        SyncAll();
        SyncAll(words, sync);
        DataCopy(out, a, kElems);""",
}

#: The reader does not wait for the writer. The race is the only finding, in every schedule.
RACY = """
        if (block == 0) {
            DataCopy(ws, a, kElems);
        } else {
            DataCopy(b, ws, kElems);
            store(kElems);
        }"""

CASES = [*WRONG.values(), *RIGHT.values(), RACY]
TEXT = SOURCE.replace(
    "CASES", "\n".join(f"case {n}: {{{text}\n        break; }}" for n, text in enumerate(CASES))
)


@pytest.fixture(scope="module")
def kernel(shared_cache: Path) -> cannery.Kernel:
    with cannery.use(cache_dir=shared_cache):
        return cannery.compile_kernel(TEXT, "k", portable=False)


def run(kernel: cannery.Kernel, case: str, workspace: int = 4096) -> np.ndarray:
    out = np.zeros((2, 64), np.float32)
    kernel(2, np.ones(64, np.float32), out, CASES.index(case), workspace=workspace)
    return out


def marked(case: str) -> int:
    """Returns the number of the marked line of a case."""
    before = TEXT[: TEXT.index(case)]
    return len((before + case[: case.index("// here")]).splitlines())


@pytest.mark.parametrize("level", BOTH)
@pytest.mark.parametrize("name", WRONG)
def test_unwritten_workspace_is_found(kernel: cannery.Kernel, name: str, level: str) -> None:
    for threads, order in ((1, 0), (2, 7), (2, 1234)):
        with (
            cannery.use(hazards=level, threads=threads, core_order=order),
            pytest.raises(cannery.HazardError) as caught,
        ):
            run(kernel, WRONG[name])
        (hazard,) = caught.value.hazards
        assert (hazard.code, hazard.kind, hazard.memory) == ("T820", "never written", "GM")
        assert (hazard.place, hazard.second.line) == ("argument space", marked(WRONG[name]))
        assert hazard.missing.startswith(
            f"a write of these bytes, such as InitGlobalMemory, before line {hazard.second.line}"
        )
        assert hazard.second.core == "0 AIV"
        assert hazard.count == 2
        text = str(caught.value)
        verb = "updates these bytes in an atomic mode" if "SetAtomic" in WRONG[name] else "reads"
        assert f" {verb} at k.cpp:{hazard.second.line}" in text
        assert text.startswith("T820 read of memory that was never written: ")


@pytest.mark.parametrize("level", BOTH)
@pytest.mark.parametrize("name", RIGHT)
def test_a_correct_use_is_not_accused(kernel: cannery.Kernel, name: str, level: str) -> None:
    for threads in (1, 2):
        with cannery.use(hazards=level, threads=threads):
            run(kernel, RIGHT[name])


@pytest.mark.parametrize("order", [0, 7, 1234, 99])
def test_a_race_is_named_alone(kernel: cannery.Kernel, order: int) -> None:
    with (
        cannery.use(hazards="auto-sync", threads=1, core_order=order),
        pytest.raises(cannery.HazardError) as caught,
    ):
        run(kernel, RACY)
    assert {hazard.code for hazard in caught.value.hazards} == {"T811"}


def test_the_first_unwritten_byte_is_named(kernel: cannery.Kernel) -> None:
    with pytest.raises(cannery.HazardError) as caught:
        run(kernel, WRONG["WritesTooFew"])
    (hazard,) = caught.value.hazards
    assert (hazard.begin, hazard.bytes) == (256 * 4 + 160, 24 * 4)


#: A cube core writes a part of the workspace. Then it loads a larger part of the workspace as A.
CUBE = """
#define ZOO_CORE CubeCore
#include "cube.h"
extern "C" __global__ __aicore__ void c(GM_ADDR in, GM_ADDR out, uint16_t rows, uint16_t columns,
                                        GM_ADDR space) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    TPipe pipe;
    zoo::CubeCore core;
    core.Init(in, out, space);
    core.Product();
    FixpipeParamsV220 part(WRITTEN, false);
    part.quantPre = QuantMode_t::F322F16;
    Fixpipe(core.halves, core.co, part);
    PipeBarrier<PIPE_ALL>();
    DataCopy(core.b1, core.b, 512);
    COPY  // here
    PipeBarrier<PIPE_ALL>();
    LoadData(core.a2, core.a1, zoo::Load(2));
    LoadData(core.b2, core.b1, zoo::Load(2));
    PipeBarrier<PIPE_ALL>();
    Mmad(core.co, core.a2, core.b2, MmadParams(rows, 16, columns, 0, false, true));
    PipeBarrier<PIPE_ALL>();
    Fixpipe(core.out, core.co, FixpipeParamsV220(16, rows, 16, 16, false));
    PipeBarrier<PIPE_ALL>();
}
"""
#: The parameters of the write to the workspace, the parameters of the copy, the rows and columns of
#: A that contain only written elements, larger rows and columns of A that also contain unwritten
#: elements, and the first unwritten byte with the number of unwritten bytes.
LOADS = {
    "whole blocks": ("16, 8, 16, 16", "512", (8, 16), (16, 16), (256, 768)),
    "rows": (
        "16, 8, 16, 16",
        "Nd2NzParams(1, 16, 16, 0, 16, 16, 1, 0)",
        (8, 16),
        (16, 16),
        (256,) * 2,
    ),
    "columns": (
        "16, 16, 16, 32",
        "Nd2NzParams(1, 16, 32, 0, 32, 16, 1, 0)",
        (16, 16),
        (16, 32),
        (32,) * 2,
    ),
}


@pytest.mark.parametrize("name", rest_slow(LOADS))
def test_a_cube_core(name: str) -> None:
    written, copy, data, more, place = LOADS[name]
    source = CUBE.replace("WRITTEN", written)
    source = source.replace("COPY", f"DataCopy(core.a1, core.halves, {copy});")
    kernel = cannery.compile_kernel(source, "c", include_dirs=[FOLDER], portable=False)
    inputs, out = np.ones(16 * 1024, np.float16), np.zeros((16, 16), np.float32)
    kernel(1, inputs, out, *data, workspace=1024)
    assert np.array_equal(out[: data[0]], np.full((data[0], 16), 256))
    with pytest.raises(cannery.HazardError) as caught:
        kernel(1, inputs, out, *more, workspace=1024)
    (hazard,) = caught.value.hazards
    line = next(n for n, text in enumerate(source.splitlines(), 1) if "// here" in text)
    assert (hazard.code, hazard.second.line, hazard.place) == ("T820", line, "argument space")
    assert (hazard.begin, hazard.bytes) == place
