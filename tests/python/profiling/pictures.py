# SPDX-License-Identifier: Apache-2.0
"""Contains a kernel whose launches the tests draw, and a function that profiles a launch."""

from __future__ import annotations

import numpy as np

import cannery

COPY = 2048  #: bytes of a load, unless the macro COPY_BYTES is defined
TILES = 16  #: tiles of each core
#: A kernel that loads, adds and stores. A comment in its source could end an HTML script element.
SOURCE = """
#include "kernel_operator.h"
using namespace AscendC;
#ifndef COPY_BYTES
#define COPY_BYTES 2048
#endif
extern "C" __global__ __aicore__ void twice(GM_ADDR x, GM_ADDR y) {
    constexpr uint32_t kTile = 8192, kCopy = COPY_BYTES / sizeof(float);
    TPipe pipe;
    TQue<TPosition::VECIN, 2> in;
    TQue<TPosition::VECOUT, 2> out;
    pipe.InitBuffer(in, 2, kTile * sizeof(float));
    pipe.InitBuffer(out, 2, kTile * sizeof(float));  // with one, loads would wait for stores
    GlobalTensor<float> from, to;
    from.SetGlobalBuffer((__gm__ float*)x);
    to.SetGlobalBuffer((__gm__ float*)y);
    for (uint32_t i = GetBlockIdx() * 16; i < GetBlockIdx() * 16 + 16; ++i) {
        LocalTensor<float> a = in.AllocTensor<float>();
        for (uint32_t at = 0; at < kTile; at += kCopy) {
            DataCopy(a[at], from[i * kTile + at], kCopy);  // load </script><script>boom()</script>
        }
        in.EnQue(a);
        a = in.DeQue<float>();
        LocalTensor<float> b = out.AllocTensor<float>();
        Add(b, a, a, kTile);  // add
        out.EnQue(b);
        in.FreeTensor(a);
        b = out.DeQue<float>();
        DataCopy(to[i * kTile], b, kTile);  // store
        out.FreeTensor(b);
    }
}
"""
TILE_BYTES = 8192 * 4


def profiled(kernel: cannery.Kernel, blocks: int = 4) -> cannery.profiling.Launch:
    x = np.arange(blocks * TILES * 8192, dtype=np.float32)
    y = np.zeros_like(x)
    with cannery.profile() as p:
        kernel(blocks, x, y)
    (launch,) = p.launches
    return launch
