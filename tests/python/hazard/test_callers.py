# SPDX-License-Identifier: Apache-2.0
"""A finding about an access in a helper function must also name the line that calls the helper."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import cannery
from cannery.cli.error_fields import error_fields
from cannery.errors import Hazard, HazardAccess

from ..selection import rest_slow

pytestmark = pytest.mark.twin_only("the hazard checker is the twin's")

#: The tests replace INLINE by an attribute. The callers of helpers must be found both if the
#: compiler inlines the helpers and if it does not.
HELPERS = """#pragma once
#include "kernel_operator.h"

template <typename T>
__aicore__ INLINE void CopyIn(const AscendC::LocalTensor<T>& to,
                              const AscendC::GlobalTensor<T>& from, uint32_t count) {
    AscendC::DataCopy(to, from, count);  // load
}

template <typename T>
__aicore__ INLINE void CopyOut(const AscendC::GlobalTensor<T>& to,
                               const AscendC::LocalTensor<T>& from, uint32_t count) {
    AscendC::DataCopy(to, from, count);  // store
}
"""
KERNEL = """#include "common/copy.h"
using namespace AscendC;

static __aicore__ INLINE void Scale(const LocalTensor<float>& a) {
    Muls(a, a, 2.0f, 64);  // scale
}

class Kernel {
public:
    __aicore__ inline void Add(const LocalTensor<float>& a) { Adds(a, a, 1.0f, 64); }
};

extern "C" __global__ __aicore__ void helper(GM_ADDR x, GM_ADDR y) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 512);
    GlobalTensor<float> from, to;
    from.SetGlobalBuffer((__gm__ float*)x, 128);
    to.SetGlobalBuffer((__gm__ float*)y, 128);
    LocalTensor<float> a = buffer.Get<float>();
    LocalTensor<float> b = a[64];
    CopyIn(a, from, 64);      // first load
    CopyIn(b, from[64], 64);  // second load
    READY
    Scale(a);                 // first scale
    PipeBarrier<PIPE_V>();
    Scale(b);                 // second scale
    ONCE
    SetFlag<HardEvent::V_MTE3>(0);
    WaitFlag<HardEvent::V_MTE3>(0);
    CopyOut(to, a, 64);       // first store
    FREE
    CopyIn(a, from, 64);      // third load
    PipeBarrier<PIPE_ALL>();
    CopyOut(to[64], b, 64);
}
"""
READY = "SetFlag<HardEvent::MTE2_V>(0); WaitFlag<HardEvent::MTE2_V>(0);"
FREE = "SetFlag<HardEvent::MTE3_MTE2>(0); WaitFlag<HardEvent::MTE3_MTE2>(0);"


def line_of(text: str, mark: str) -> int:
    return next(i for i, line in enumerate(text.splitlines(), 1) if mark in line)


def found(
    folder: Path, *, inline: str = "inline", ready: str = READY, free: str = FREE, once: str = ""
) -> list[Hazard]:
    (folder / "common").mkdir(exist_ok=True)
    (folder / "common/copy.h").write_text(HELPERS.replace("INLINE", inline))
    text = KERNEL.replace("INLINE", inline).replace("READY", ready).replace("FREE", free)
    (folder / "helper.cpp").write_text(text.replace("ONCE", once))
    kernel = cannery.load(folder / "helper.cpp").helper
    with cannery.use(hazards="explicit"):
        try:
            kernel(1, np.ones(128, np.float32), np.zeros(128, np.float32))
        except cannery.HazardError as error:
            return error.hazards
    return []


def callers(access: HazardAccess | None) -> list[tuple[str, int]]:
    assert access is not None
    return [(Path(caller.file).name, caller.line) for caller in access.callers]


def kernel_line(mark: str) -> int:
    return line_of(KERNEL, f"// {mark}")


INLINE = ("inline", "__attribute__((noinline))", "inline __attribute__((always_inline))")


@pytest.mark.parametrize("inline", rest_slow(INLINE))
def test_a_finding_in_another_file_names_the_caller(tmp_path: Path, inline: str) -> None:
    (hazard,) = found(tmp_path, inline=inline, free="")
    assert hazard.code == "T802"
    assert hazard.first is not None
    assert (Path(hazard.first.file).name, hazard.first.line) == (
        "copy.h",
        line_of(HELPERS, "// store"),
    )
    assert callers(hazard.first) == [("helper.cpp", kernel_line("first store"))]
    assert callers(hazard.second) == [("helper.cpp", kernel_line("third load"))]
    assert hazard.missing == (
        f"SetFlag<HardEvent::MTE3_MTE2> after line {kernel_line('first store')}, "
        f"WaitFlag before line {kernel_line('third load')}"
    )
    assert found(tmp_path, inline=inline) == []


@pytest.mark.parametrize("inline", rest_slow(INLINE))
def test_one_of_several_callers_in_the_same_file(tmp_path: Path, inline: str) -> None:
    (hazard,) = found(tmp_path, inline=inline, ready="")
    assert (hazard.code, hazard.count) == ("T801", 2)
    assert callers(hazard.first) == [("helper.cpp", kernel_line("first load"))]
    assert callers(hazard.second) == [("helper.cpp", kernel_line("first scale"))]
    assert hazard.second.line == kernel_line("scale")


def test_the_only_caller_in_the_same_file_is_not_named(tmp_path: Path) -> None:
    (hazard,) = found(tmp_path, once="Kernel().Add(b);")
    assert (hazard.code, hazard.kind) == ("T801", "RAW intra-pipe")
    assert callers(hazard.first) == [("helper.cpp", kernel_line("second scale"))]
    assert callers(hazard.second) == []


def test_the_message_names_the_caller(tmp_path: Path) -> None:
    found(tmp_path, free="")
    kernel = cannery.load(tmp_path / "helper.cpp").helper
    with cannery.use(hazards="explicit"), pytest.raises(cannery.HazardError) as caught:
        kernel(1, np.ones(128, np.float32), np.zeros(128, np.float32))
    place = f"{tmp_path}/helper.cpp:{kernel_line('third load')}"
    assert f"CopyIn<float>, called at {place}   core 0 AIV\n" in str(caught.value)
    assert caught.value.file == f"{tmp_path}/common/copy.h"
    assert caught.value.line == line_of(HELPERS, "// load")


@pytest.mark.parametrize("inline", rest_slow(INLINE))
@pytest.mark.parametrize("level", ["off", "explicit"])
def test_an_error_that_is_no_hazard_names_the_caller(
    tmp_path: Path, inline: str, level: str
) -> None:
    found(tmp_path, inline=inline)
    kernel = cannery.load(tmp_path / "helper.cpp").helper
    with cannery.use(hazards=level), pytest.raises(cannery.KernelError) as caught:
        kernel(1, np.ones(128, np.float32), np.zeros(96, np.float32))
    error = caught.value
    line = line_of(KERNEL, "CopyOut(to[64]")
    assert error.code == "T101"
    assert (error.file, error.line) == (f"{tmp_path}/common/copy.h", line_of(HELPERS, "// store"))
    assert [(caller.file, caller.line) for caller in error.callers] == [
        (f"{tmp_path}/helper.cpp", line)
    ]
    assert f"\n  called at {tmp_path}/helper.cpp:{line}\n  try: " in str(error)
    second = error_fields(error)["second"]
    assert second["callers"] == [{"file": f"{tmp_path}/helper.cpp", "line": line}]


def test_an_error_in_the_kernel_itself_has_no_caller(tmp_path: Path) -> None:
    with pytest.raises(cannery.KernelError) as caught:
        found(tmp_path, once="DataCopy(to[128], b, 64);")
    assert caught.value.code == "T101"
    assert caught.value.callers == ()
    assert "called at" not in str(caught.value)


BETWEEN_CORES = """#include "kernel_operator.h"
using namespace AscendC;

__aicore__ inline void Store(const GlobalTensor<float>& to, const LocalTensor<float>& from) {
    DataCopy(to, from, 64);  // store
}

extern "C" __global__ __aicore__ void between(GM_ADDR x) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 256);
    GlobalTensor<float> gm;
    gm.SetGlobalBuffer((__gm__ float*)x, 192);
    LocalTensor<float> tile = buffer.Get<float>();
    Duplicate(tile, 1.0F, 64);
    PipeBarrier<PIPE_ALL>();
    Store(gm[GetBlockIdx() * 64], tile);  // own
    Store(gm[128], tile);                 // shared
}
"""


def test_cores_that_write_the_same_bytes(tmp_path: Path) -> None:
    (tmp_path / "between.cpp").write_text(BETWEEN_CORES)
    kernel = cannery.load(tmp_path / "between.cpp").between
    with pytest.raises(cannery.HazardError) as caught:
        kernel(2, np.zeros(192, np.float32))
    (hazard,) = caught.value.hazards
    both = [("between.cpp", line_of(BETWEEN_CORES, f"// {mark}")) for mark in ("own", "shared")]
    assert hazard.code == "T813"
    # Between cores, a finding names all callers of the function.
    assert callers(hazard.first) == callers(hazard.second) == both
    names = " or ".join(f"{tmp_path}/{name}:{line}" for name, line in both)
    assert f"Store, called at {names}   core 0 AIV" in str(caught.value)
