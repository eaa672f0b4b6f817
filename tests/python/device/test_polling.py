# SPDX-License-Identifier: Apache-2.0
"""Kernels may wait by reading GM in a loop; other cores must run meanwhile, even on one thread."""

from __future__ import annotations

import numpy as np
import pytest

import cannery

pytestmark = pytest.mark.twin_only("on a card the cores run at the same time")

SOURCE = """
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void gather(GM_ADDR words, GM_ADDR sum, int stride) {
    GlobalTensor<int32_t> flags, out;
    flags.SetGlobalBuffer((__gm__ int32_t*)words);
    out.SetGlobalBuffer((__gm__ int32_t*)sum);
    const int own = GetBlockIdx();
    flags.SetValue(own * stride, own + 1);
    DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(
        flags[own * stride]);
    if (own != 0) {
        return;
    }
    int total = 0;
    for (int ready = 0; ready != GetBlockNum();) {
        ready = total = 0;
        for (int i = 0; i < GetBlockNum(); ++i) {  // by turns
            DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE,
                                     DcciDst::CACHELINE_OUT>(flags[i * stride]);
            const int word = flags.GetValue(i * stride);
            ready += word == i + 1;
            total += word;
        }
    }
    out.SetValue(0, total);
}
"""


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("blocks", "stride"), [(2, 16), (4, 512), (48, 16), (48, 1024)])
def test_words_that_are_polled_by_turns(blocks: int, stride: int, threads: int) -> None:
    kernel = cannery.compile_kernel(SOURCE, "gather")
    words, out = np.zeros(blocks * stride, np.int32), np.zeros(16, np.int32)
    with cannery.use(threads=threads, timeout_s=2):
        kernel(blocks, words, out, stride)
    assert out[0] == blocks * (blocks + 1) // 2
