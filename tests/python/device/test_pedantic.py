# SPDX-License-Identifier: Apache-2.0
"""Pedantic mode must check declared sizes, and modes that a kernel leaves on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import cannery

pytestmark = pytest.mark.twin_only("a card checks nothing of this")

# The tiling key chooses the action; odd keys below 20 stay within the declared sizes.
SOURCE = """
#include "kernel_operator.h"
using namespace AscendC;
template <typename T> __aicore__ inline void Access(GM_ADDR x, GM_ADDR out, LocalTensor<T>& a) {
    GlobalTensor<T> from, to, whole;
    from.SetGlobalBuffer((__gm__ T*)x + 8, 64);
    to.SetGlobalBuffer((__gm__ T*)out, 64);
    whole.SetGlobalBuffer((__gm__ T*)x);
    if (TILING_KEY_IS(1)) {
        DataCopy(a, from, 64);
    } else if (TILING_KEY_IS(2)) {
        DataCopy(a, from, 72);  // key 2
    } else if (TILING_KEY_IS(3)) {
        DataCopy(a, from[32], 32);
    } else if (TILING_KEY_IS(4)) {
        DataCopy(a, from[32], 40);  // key 4
    } else if (TILING_KEY_IS(5)) {
        DataCopyPad(a, from, {2, 4, 31 * 8 - 4, 0, 0}, {false, 0, 0, 0});
    } else if (TILING_KEY_IS(6)) {
        DataCopyPad(a, from, {2, 8, 31 * 8 + 4, 0, 0}, {false, 0, 0, 0});  // key 6
    } else if (TILING_KEY_IS(7)) {
        from.GetValue(63);
    } else if (TILING_KEY_IS(8)) {
        from.GetValue(64);  // key 8
    } else if (TILING_KEY_IS(9)) {
        DataCopy(a, whole, 128);
    } else if (TILING_KEY_IS(10)) {
        DataCopy(a, from[-8], 8);  // key 10
    } else if (TILING_KEY_IS(11)) {
        Duplicate(a, (T)0, 64);
        PipeBarrier<PIPE_ALL>();
        DataCopy(to, a, 64);
    } else if (TILING_KEY_IS(12)) {
        Duplicate(a, (T)0, 128);
        PipeBarrier<PIPE_ALL>();
        DataCopy(to[8], a, 64);  // key 12
    }
}
extern "C" __global__ __aicore__ void tidy(GM_ADDR x, GM_ADDR out) {
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, 512);
    LocalTensor<float> a = buf.Get<float>();
    Access<float>(x, out, a);
    if (TILING_KEY_IS(20)) {
        SetAtomicAdd<float>();  // key 20
    } else if (TILING_KEY_IS(21)) {
        SetAtomicAdd<float>();
        SetAtomicNone();
    } else if (TILING_KEY_IS(22)) {
        SetMaskCount();  // key 22
    } else if (TILING_KEY_IS(23)) {
        SetMaskCount();
        SetMaskNorm();
    } else if (TILING_KEY_IS(24)) {
        SetVectorMask<float>(0, 0xFF);  // key 24
    } else if (TILING_KEY_IS(25)) {
        SetVectorMask<float>(0, 0xFF);
        ResetMask();
    } else if (TILING_KEY_IS(26)) {
        SetSaturationFlag<SaturationMode::CAST>(false);  // key 26
    } else if (TILING_KEY_IS(27)) {
        SetSaturationFlag<SaturationMode::CAST>(false);
        SetSaturationFlag<SaturationMode::CAST>(true);
    } else if (TILING_KEY_IS(29)) {
        Duplicate(a, 0.0f, 8, 1, 1, 8);  // sets a mask only for this instruction
    } else if (TILING_KEY_IS(31)) {
        SetVectorMask<float>(0, 0xFF);
        Duplicate(a, 0.0f, 64);
    }
    PipeBarrier<PIPE_ALL>();
}
"""
BEYOND = (2, 4, 6, 8, 10, 12)
LEFT_ON = {
    20: "SetAtomicAdd is still on",
    22: "the counter mode",
    24: "the mask of SetVectorMask",
    26: "a bit of the control register",
}
TIDY = (1, 3, 5, 7, 9, 11, 21, 23, 25, 27, 29, 31)


@pytest.fixture(scope="module")
def kernel(shared_cache: Path) -> cannery.Kernel:
    with cannery.use(cache_dir=shared_cache):
        return cannery.compile_kernel(SOURCE, "tidy")


def run(kernel: cannery.Kernel, key: int) -> None:
    kernel(1, np.ones(256, np.float32), np.zeros(256, np.float32), tiling_key=key)


def line_of(key: int) -> int:
    (line,) = [n for n, text in enumerate(SOURCE.splitlines(), 1) if text.endswith(f"// key {key}")]
    return line


@pytest.mark.parametrize("key", BEYOND)
def test_beyond_the_declared_size(kernel: cannery.Kernel, key: int) -> None:
    said = r"beyond the declared size: .* of 256 B"
    with cannery.use(mode="pedantic"), pytest.raises(cannery.KernelError, match=said) as caught:
        run(kernel, key)
    assert (caught.value.code, caught.value.line) == ("T109", line_of(key))
    run(kernel, key)  # strict mode allows accesses within the array


@pytest.mark.parametrize(("key", "mode"), LEFT_ON.items())
def test_mode_left_on(kernel: cannery.Kernel, key: int, mode: str) -> None:
    said = f"mode left on: {mode}"
    with cannery.use(mode="pedantic"), pytest.raises(cannery.KernelError, match=said) as caught:
        run(kernel, key)
    assert (caught.value.code, caught.value.line) == ("T322", line_of(key))
    if mode == "SetAtomicAdd is still on":  # an error in strict mode, too
        with pytest.raises(cannery.KernelError, match=said):
            run(kernel, key)
    else:
        run(kernel, key)
    with cannery.use(mode="hardware"):
        run(kernel, key)


@pytest.mark.parametrize("key", TIDY)
def test_tidy(kernel: cannery.Kernel, key: int) -> None:
    with cannery.use(mode="pedantic"):
        run(kernel, key)


def test_pedantic_is_strict(kernel: cannery.Kernel) -> None:
    with cannery.use(mode="pedantic"), pytest.raises(cannery.KernelError) as caught:
        kernel(1, np.ones(32, np.float32), np.zeros(256, np.float32), tiling_key=9)
    assert caught.value.code == "T101"
