# SPDX-License-Identifier: Apache-2.0
"""A launch must fail with T614 if it does nothing because the kernel has no branch for its tiling
key."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cannery
from cannery import KernelError

BIG = 2**63 + 5
SOURCE = """
#include "kernel_operator.h"
using namespace AscendC;

__aicore__ inline void Note(GM_ADDR out, float value) {
    GlobalTensor<float> to;
    to.SetGlobalBuffer((__gm__ float*)out, 8);
    to.SetValue(0, value);
    DataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE, DcciDst::CACHELINE_OUT>(to);
}

constexpr uint64_t kBig = 9223372036854775813UL;
extern "C" __global__ __aicore__ void branches(GM_ADDR x, GM_ADDR out) {
    GlobalTensor<float> from;
    from.SetGlobalBuffer((__gm__ float*)x, 8);
    if (from.GetValue(0) < 0.0f) {
        return;
    }
    if (TILING_KEY_IS(1)) {
        Note(out, 1.0f);
    } else if (TILING_KEY_LIST(2, 3)) {
        Note(out, 23.0f);
    } else if (TILING_KEY_IS(kBig)) {
        Note(out, 4.0f);
    }
}
extern "C" __global__ __aicore__ void otherwise(GM_ADDR x, GM_ADDR out) {
    if (TILING_KEY_IS(1)) {
        Note(out, 1.0f);
    } else {
        Note(out, 5.0f);
    }
}
extern "C" __global__ __aicore__ void prints(GM_ADDR x, GM_ADDR out) {
    if (TILING_KEY_IS(1)) {
        Note(out, 1.0f);
    } else {
        printf("another key\\n");
    }
}
extern "C" __global__ __aicore__ void compares(GM_ADDR x, GM_ADDR out) {
    if (TILING_KEY_IS(1) || TILING_KEY_VAR > 10) {
        Note(out, 1.0f);
    }
}
extern "C" __global__ __aicore__ void on_vector_cores(GM_ADDR x, GM_ADDR out) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_1);
    if ASCEND_IS_AIV {
        if (TILING_KEY_IS(1)) {
            Note(out, 1.0f);
        }
    }
    if ASCEND_IS_AIC {
        if (TILING_KEY_IS(2)) {
            Note(out, 2.0f);
        }
    }
}
template <uint64_t key>
__aicore__ inline void Many(GM_ADDR out) {
    if (TILING_KEY_IS(key)) {
        Note(out, 1.0f);
    }
    if constexpr (key < 40) {
        Many<key + 1>(out);
    }
}
extern "C" __global__ __aicore__ void many(GM_ADDR x, GM_ADDR out) { Many<10>(out); }
extern "C" __global__ __aicore__ void fails(GM_ADDR x, GM_ADDR out) {
    if (TILING_KEY_IS(1)) {
        Note(out, 1.0f);
    }
    GlobalTensor<float> from;
    from.SetGlobalBuffer((__gm__ float*)x, 8);
    from.GetValue(64);
}
extern "C" __global__ __aicore__ void ignores(GM_ADDR x, GM_ADDR out) {}
"""


def run(name: str, key: int, first: float = 0.0) -> float:
    kernel: Any = cannery.compile_kernel(SOURCE, name)
    out = np.zeros(8, np.float32)
    kernel(1, np.full(8, first, np.float32), out, tiling_key=key)
    return float(out[0])


@pytest.mark.parametrize(("key", "noted"), [(1, 1.0), (2, 23.0), (3, 23.0), (BIG, 4.0)])
def test_a_key_with_a_branch(key: int, noted: float) -> None:
    assert run("branches", key) == noted


@pytest.mark.smoke
def test_a_key_without_a_branch() -> None:
    with pytest.raises(KernelError) as error:
        run("branches", 9)
    assert error.value.code == "T614"
    assert (
        str(error.value)
        .splitlines()[0]
        .endswith(
            "T614 no branch for tiling key 9: kernel branches names the keys 1, 2, 3, "
            "9223372036854775813 (TILING_KEY_IS), and wrote nothing to global memory with this key"
        )
    )
    assert "try: a branch `if (TILING_KEY_IS(9))`" in str(error.value)
    with pytest.raises(KernelError, match="T614 no branch for tiling key 0"):
        run("branches", 0)


def test_a_key_without_a_branch_in_hardware_mode() -> None:
    with cannery.use(mode="hardware"), pytest.raises(KernelError, match="T614"):
        run("branches", 9)


def test_a_named_key_may_do_nothing() -> None:
    assert run("branches", 1, first=-1.0) == 0.0


def test_a_key_that_no_branch_names_but_that_does_something(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert run("otherwise", 9) == 5.0
    assert run("prints", 9) == 0.0
    assert "another key" in capfd.readouterr().out


def test_a_kernel_that_compares_the_key_itself_may_know_every_key() -> None:
    assert run("compares", 11) == 1.0
    assert run("compares", 5) == 0.0


def test_a_kernel_without_keys_takes_every_key() -> None:
    assert run("ignores", 9) == 0.0


def test_branches_of_both_kinds_of_core_count() -> None:
    assert [run("on_vector_cores", key) for key in (1, 2)] == [1.0, 2.0]
    with pytest.raises(KernelError, match=r"T614 .*names the keys 1, 2 "):
        run("on_vector_cores", 3)


def test_a_long_list_of_keys_is_cut() -> None:
    with pytest.raises(KernelError, match=r"keys 10, 11, [0-9, ]*21, \.\.\. \(31 keys\) \("):
        run("many", 9)


def test_a_launch_that_fails_keeps_its_error() -> None:
    with pytest.raises(KernelError, match="T101"):
        run("fails", 9)
