# SPDX-License-Identifier: Apache-2.0
"""Tests the text of findings, the number of findings, and the accesses that findings name."""

from __future__ import annotations

from typing import Any

import pytest

import cannery

from ..sources import BUFFERS, HEAD, findings, floats, line_of

pytestmark = pytest.mark.twin_only("the hazard checker is the twin's")


def test_an_exchange_is_one_finding() -> None:
    text = f"""
extern "C" __global__ __aicore__ void k(GM_ADDR x) {{{BUFFERS}
    const int32_t own = GetBlockIdx() * 64, other = (own + 64) % 256;
    Duplicate(tile, 1.0F, 64);
    PipeBarrier<PIPE_ALL>();
    DataCopy(gm[own], tile, 64);    // written
    DataCopy(more, gm[other], 64);  // read
}}
"""
    error = findings(text, 4, floats(256))
    assert len(error.hazards) == 1
    hazard: Any = error.hazards[0]
    assert {hazard.first.line, hazard.second.line} == {
        line_of(text, "// written"),
        line_of(text, "// read"),
    }
    assert hazard.count == 4
    assert hazard.place == "argument x"


def test_one_line_on_two_cores_wants_other_bytes() -> None:
    text = f"""
extern "C" __global__ __aicore__ void k(GM_ADDR x) {{{BUFFERS}
    Duplicate(tile, 1.0F, 64);
    PipeBarrier<PIPE_ALL>();
    DataCopy(gm, tile, 64);  // here
}}
"""
    error = findings(text, 2, floats(64))
    line = line_of(text, "// here")
    assert [hazard.code for hazard in error.hazards] == ["T813"]
    assert error.hazards[0].missing == (
        f"other bytes of GM for each core in line {line}, or an order between the cores"
    )


def test_the_next_round_is_one_of_a_loop() -> None:
    text = f"""
__aicore__ inline void Load(LocalTensor<float> tile, GlobalTensor<float> gm) {{
    DataCopy(tile, gm, 64);  // load
}}
extern "C" __global__ __aicore__ void k(GM_ADDR x) {{{BUFFERS}
    Duplicate(tile, 1.0F, 64);  // fill
    Load(tile, gm);
}}
"""
    error = findings(text, 1, floats(64))
    fill, load = line_of(text, "// fill"), line_of(text, "// load")
    assert [hazard.missing for hazard in error.hazards] == [
        f"SetFlag<HardEvent::V_MTE2> after line {fill}, WaitFlag before line {load}"
    ]
    looped = text.replace("    Duplicate", "    for (int i = 0; i < 2; ++i) {\n    Load(tile, gm);"
                          " PipeBarrier<PIPE_ALL>();\n    Duplicate").replace(
        "// fill\n    Load(tile, gm);", "// fill\n    }")  # fmt: skip
    error = findings(looped, 1, floats(64))
    fill, load = line_of(looped, "// fill"), line_of(looped, "// load")
    assert [hazard.missing for hazard in error.hazards] == [
        f"SetFlag<HardEvent::V_MTE2> after line {fill}, "
        f"WaitFlag before line {load} of the next round"
    ]


def test_a_buffer_is_taken_back_not_read() -> None:
    text = f"""
extern "C" __global__ __aicore__ void k(GM_ADDR x) {{{BUFFERS}
    TQue<TPosition::VECIN, 1> in;
    pipe.InitBuffer(in, 1, 256);
    LocalTensor<float> loaded = in.AllocTensor<float>();
    DataCopy(loaded, gm, 64);
    in.EnQue(loaded);
    loaded = in.DeQue<float>();
    in.FreeTensor(loaded);           // back
    Adds(more, loaded, 1.0F, 64);    // used
}}
"""
    error = findings(text, 1, floats(64))
    assert [hazard.code for hazard in error.hazards] == ["T821"]
    assert f"S FreeTensor takes it back at k.cpp:{line_of(text, '// back')}" in str(error)
    assert f"V Adds reads at k.cpp:{line_of(text, '// used')}" in str(error)


MIX = """
extern "C" __global__ __aicore__ void k(GM_ADDR x, GM_ADDR product) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    GlobalTensor<float> gm;
    gm.SetGlobalBuffer((__gm__ float*)product);
    if ASCEND_IS_AIC {
        LocalTensor<half> a2(TPosition::A2, 0, 256), b2(TPosition::B2, 0, 256);
        LocalTensor<float> co(TPosition::CO1, 0, 256);
        InitConstValue(a2, InitConstValueParams<half>(1, 1, 0, half(1.0F)));
        InitConstValue(b2, InitConstValueParams<half>(1, 1, 0, half(1.0F)));
        PipeBarrier<PIPE_ALL>();
        Mmad(co, a2, b2, MmadParams(16, 16, 16, 0, false, true));
        PipeBarrier<PIPE_ALL>();
        Fixpipe(gm, co, FixpipeParamsV220(16, 16, 16, 16, false));  // one
        TELL
        CrossCoreWaitFlag(1);
        Fixpipe(gm, co, FixpipeParamsV220(16, 16, 16, 16, false));  // two
        CrossCoreSetFlag<2, PIPE_FIX>(0);
    }
    if ASCEND_IS_AIV {
        VECTOR
        CrossCoreWaitFlag(0);
    }
}
"""


def test_arguments_have_their_names_in_mix_kernels() -> None:
    text = MIX.replace("TELL", "").replace("VECTOR", "CrossCoreSetFlag<2, PIPE_MTE2>(1);")
    error: Any = findings(text, 1, floats(64), floats(256))
    one, two = line_of(text, "// one"), line_of(text, "// two")
    assert [(h.code, h.first.line, h.second.line, h.place) for h in error.hazards] == [
        ("T803", one, two, "argument product")
    ]


def test_a_flag_that_comes_back_orders_the_core_itself() -> None:
    """The vector cores set flag 1 after a wait for flag 0 of the first copy: the copy has ended."""
    answer = "CrossCoreWaitFlag(0); CrossCoreSetFlag<2, PIPE_MTE2>(1);"
    text = MIX.replace("TELL", "CrossCoreSetFlag<2, PIPE_FIX>(0);").replace("VECTOR", answer)
    kernel = cannery.compile_kernel(HEAD + text, "k")
    kernel(1, floats(64), floats(256))
    # If the vector cores set flag 1 before they wait for flag 0, the copy may still run.
    early = "CrossCoreSetFlag<2, PIPE_MTE2>(1); CrossCoreWaitFlag(0);"
    text = MIX.replace("TELL", "CrossCoreSetFlag<2, PIPE_FIX>(0);").replace("VECTOR", early)
    assert [hazard.code for hazard in findings(text, 1, floats(64), floats(256)).hazards] == [
        "T803"
    ]


UNWRITTEN = f"""
extern "C" __global__ __aicore__ void k(GM_ADDR x) {{{BUFFERS}
    Duplicate(tile, 1.0F, 8);
    PipeBarrier<PIPE_ALL>();
    Adds(more, tile, 1.0F, 16);  // computed
    PipeBarrier<PIPE_ALL>();
    DataCopy(gm, more, COUNT);
}}
"""


def test_bytes_of_nobody_count_where_they_come_out() -> None:
    """Computing on unwritten bytes is a finding (T820) only if the result is copied to GM."""
    kernel = cannery.compile_kernel(HEAD + UNWRITTEN.replace("COUNT", "8"), "k")
    kernel(1, floats(64))
    text = UNWRITTEN.replace("COUNT", "16")
    error = findings(text, 1, floats(64))
    assert [(h.code, h.first, h.second.line) for h in error.hazards] == [
        ("T820", None, line_of(text, "// computed"))
    ]
