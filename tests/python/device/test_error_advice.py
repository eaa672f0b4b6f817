# SPDX-License-Identifier: Apache-2.0
"""Tests the advice in error messages about accesses beyond an array, about slots of IBSet that are
not zeroed, about an atomic mode that is still on when the kernel returns or that has another type
than a copy, and about TPipe's flags."""

from __future__ import annotations

import numpy as np
import pytest

import cannery

from ..selection import rest_slow
from ..sources import BUFFERS, HEAD, floats, line_of

pytestmark = pytest.mark.twin_only("a card checks nothing of this")


def test_message_of_a_stride_in_the_wrong_unit() -> None:
    text = f"""
extern "C" __global__ __aicore__ void k(GM_ADDR x) {{{BUFFERS}
    DataCopyPad(tile, gm, DataCopyExtParams(4, 32, STRIDE, 0, 0),
                DataCopyPadExtParams<float>(false, 0, 0, 0.0F));
}}
"""
    kernel = cannery.compile_kernel(HEAD + text.replace("STRIDE", "128"), "k")
    with pytest.raises(cannery.KernelError) as caught:
        kernel(1, floats(32))
    assert caught.value.code == "T101"
    message = str(caught.value)
    assert "4 runs of 32 B, whose starts are 160 B apart (srcStride 128 counts bytes" in message
    assert "check the stride and its unit" in message
    cannery.compile_kernel(HEAD + text.replace("STRIDE", "0"), "k")(1, floats(32))


def test_message_of_a_workspace_that_is_too_small() -> None:
    text = f"""
extern "C" __global__ __aicore__ void k(GM_ADDR x, GM_ADDR workspace) {{{BUFFERS}
    GlobalTensor<float> slots;
    slots.SetGlobalBuffer((__gm__ float*)workspace);
    Duplicate(tile, 1.0F, 64);
    PipeBarrier<PIPE_ALL>();
    DataCopy(slots[GetBlockIdx() * 64], tile, 64);
}}
"""
    kernel = cannery.compile_kernel(HEAD + text, "k")
    with pytest.raises(cannery.KernelError) as caught:
        kernel(1, floats(64), workspace=128)
    assert caught.value.code == "T101"
    assert "the workspace has 128 B, this needs 256 B" in str(caught.value)
    with pytest.raises(cannery.KernelError) as caught:
        kernel(4, floats(64), workspace=512)
    want = "the workspace has 512 B, block 2 (others may need more) needs 768 B"
    assert want in str(caught.value)
    kernel(2, floats(64), workspace=512)


@pytest.mark.parametrize(
    ("code", "start", "tensor"),
    rest_slow([("T101", "x", "gm[INDEX * 64]"), ("T102", "x + INDEX * 256", "gm")]),
)
def test_message_of_a_block_index_of_vector_cores(code: str, start: str, tensor: str) -> None:
    text = """
extern "C" __global__ __aicore__ void k(GM_ADDR x) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    if ASCEND_IS_AIV {
        LocalTensor<float> tile(TPosition::VECIN, 0, 64);
        GlobalTensor<float> gm;
        gm.SetGlobalBuffer((__gm__ float*)(START));
        DataCopy(tile, TENSOR, 64);
    }
}
""".replace("START", start).replace("TENSOR", tensor)
    kernel = cannery.compile_kernel(HEAD + text.replace("INDEX", "GetBlockIdx()"), "k")
    with pytest.raises(cannery.KernelError) as caught:
        kernel(2, floats(128))
    assert caught.value.code == code
    message = str(caught.value)
    assert "GetBlockIdx() is 2 here: on vector cores it counts the 4 vector cores" in message
    assert "GetBlockNum() is 2" in message
    index = "(GetBlockIdx() / GetTaskRation())"
    cannery.compile_kernel(HEAD + text.replace("INDEX", index), "k")(2, floats(128))


SLOTS = """
extern "C" __global__ __aicore__ void k(GM_ADDR x) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 2048);
    LocalTensor<int32_t> room = buffer.Get<int32_t>();
    GlobalTensor<int32_t> slots;
    slots.SetGlobalBuffer((__gm__ int32_t*)x);
    if (GetBlockIdx() == 0) {
        IBSet(slots, room, 0, 0);  // sets
    } else {
        IBWait(slots, room, 0, 0);
    }
}
"""


@pytest.mark.parametrize("mode", ["strict", "hardware"])
def test_flags_of_ibset_that_are_not_zeroed(mode: str) -> None:
    kernel = cannery.compile_kernel(HEAD + SLOTS, "k")
    with cannery.use(mode=mode), pytest.raises(cannery.KernelError) as caught:
        kernel(2, np.full(16, -1, np.int32))
    assert caught.value.code == ("T319" if mode == "strict" else "T301")
    fault = "IBSet(block 0, event 0), whose slot has -1, expected 0 (free) or 1 (set)"
    assert fault in str(caught.value)
    with cannery.use(mode=mode):
        kernel(2, np.zeros(16, np.int32))


ATOMIC = f"""
extern "C" __global__ __aicore__ void k(GM_ADDR x) {{{BUFFERS}
    Duplicate(tile, 1.0F, 64);
    PipeBarrier<PIPE_ALL>();
    SetAtomicAdd<float>();  // on
    DataCopy(gm, tile, 64);
    OFF
}}
"""


def test_an_atomic_mode_that_is_left_on() -> None:
    kernel = cannery.compile_kernel(HEAD + ATOMIC.replace("OFF", ""), "k")
    with pytest.raises(cannery.KernelError, match=r"SetAtomicNone\(\) before") as caught:
        kernel(1, floats(64))
    assert caught.value.code == "T322"
    assert str(caught.value).startswith(
        "T322 mode left on: SetAtomicAdd is still on when the kernel returns; the next kernel on "
        "this core would also add\n"
    )
    assert f"k.cpp:{line_of(ATOMIC, '// on')}" in str(caught.value)
    with cannery.use(mode="hardware"):
        kernel(1, floats(64))
    cannery.compile_kernel(HEAD + ATOMIC.replace("OFF", "SetAtomicNone();"), "k")(1, floats(64))


TYPES = f"""
extern "C" __global__ __aicore__ void k(GM_ADDR x) {{{BUFFERS}
    Duplicate(tile, 1.0F, 64);
    PipeBarrier<PIPE_ALL>();
    GlobalTensor<COPIED> out;
    out.SetGlobalBuffer((__gm__ COPIED*)x);
    SetAtomicAdd<MODE>();
    DataCopy(out, tile.ReinterpretCast<COPIED>(), 64);
    SetAtomicNone();
}}
"""


@pytest.mark.parametrize(
    ("mode", "copied", "refused"),
    rest_slow(
        [
            ("float", "int32_t", True),
            ("int32_t", "uint32_t", False),
            ("int32_t", "float", True),
            ("half", "bfloat16_t", True),
            ("half", "int16_t", True),
            ("half", "float", True),
            ("float", "float", False),
            ("bfloat16_t", "bfloat16_t", False),
        ],
        2,
    ),
)
def test_an_atomic_mode_of_another_type(mode: str, copied: str, refused: bool) -> None:
    text = TYPES.replace("MODE", mode).replace("COPIED", copied)
    kernel = cannery.compile_kernel(HEAD + text, "k")
    if refused:
        want = f"DataCopy copies {copied} while the atomic mode is add of {mode}"
        with pytest.raises(cannery.KernelError, match=want) as caught:
            kernel(1, np.zeros(256, np.uint8))
        assert caught.value.code == "T315"
        with cannery.use(mode="hardware"):
            kernel(1, np.zeros(256, np.uint8))
    else:
        kernel(1, np.zeros(256, np.uint8))


FLAGS = """
extern "C" __global__ __aicore__ void k(GM_ADDR x) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    TPipe pipe;  // pipe
    USES
}
"""


@pytest.mark.parametrize(
    ("code", "uses"),
    [
        ("T302", "SetFlag<HardEvent::M_MTE1>(ID); WaitFlag<HardEvent::M_MTE1>(ID);"),
        ("T303", "WaitFlag<HardEvent::M_MTE1>(0);"),
    ],
)
def test_flags_of_the_pipe(code: str, uses: str) -> None:
    """TPipe sets M_MTE1 with ids 0 to 2 and waits for them at its end."""
    kernel = cannery.compile_kernel(HEAD + FLAGS.replace("USES", uses.replace("ID", "1")), "k")
    for level in ("off", "auto-sync"):
        with cannery.use(hazards=level), pytest.raises(cannery.KernelError) as caught:
            kernel(1, floats(64))
        assert caught.value.code == code
        assert "ids 0 to 2 of M_MTE1" in str(caught.value)
        assert "EVENT_ID3" in str(caught.value)
    mended = "SetFlag<HardEvent::M_MTE1>(3); WaitFlag<HardEvent::M_MTE1>(3);"
    cannery.compile_kernel(HEAD + FLAGS.replace("USES", mended), "k")(1, floats(64))
