// SPDX-License-Identifier: Apache-2.0
// Kernels for which the hazard checker is slowest compared with the plain twin: they access global
// memory in many small pieces. Each pattern is a tiling key of a kernel on 8 blocks, or on 48.
#include "kernel_operator.h"
using namespace AscendC;

namespace {

constexpr uint32_t kRows = 2000;
constexpr uint32_t kPitch = 1600;  // bytes

__aicore__ inline uint32_t Next(uint32_t seed) { return seed * 1664525U + 1013904223U; }

using Queue = TQueBind<TPosition::VECIN, TPosition::VECOUT, 1>;

__aicore__ inline void Rows(Queue& queue, GlobalTensor<int8_t>& from, GlobalTensor<int8_t>& to,
                            uint32_t block) {
    uint32_t seed = block + 1;
    for (uint32_t i = 0; i < 20000; ++i) {
        LocalTensor<int8_t> tile = queue.AllocTensor<int8_t>();
        seed = Next(seed);
        DataCopy(tile, from[seed / 64 % 50000 * 64], 64);
        queue.EnQue(tile);
        tile = queue.DeQue<int8_t>();
        DataCopy(to[(i * 8 % 50000 + block) * 64], tile, 64);
        queue.FreeTensor(tile);
    }
}

__aicore__ inline void Gather(Queue& queue, GlobalTensor<int8_t>& from, GlobalTensor<int8_t>& to,
                              uint32_t block) {
    uint32_t seed = block + 1;
    for (uint32_t i = 0; i < 500; ++i) {
        LocalTensor<int8_t> tile = queue.AllocTensor<int8_t>();
        for (uint32_t k = 0; k < 64; ++k) {
            seed = Next(seed);
            DataCopy(tile[k * 32], from[seed / 64 % 100000 * 32], 32);
        }
        queue.EnQue(tile);
        tile = queue.DeQue<int8_t>();
        DataCopy(to[(block * 190 + i % 190) * 2048], tile, 2048);
        queue.FreeTensor(tile);
    }
}

}  // namespace

extern "C" __global__ __aicore__ void patterns(GM_ADDR in, GM_ADDR out) {
    TPipe pipe;
    Queue queue;
    pipe.InitBuffer(queue, 2, 32 * kRows);
    GlobalTensor<int8_t> from, to;
    from.SetGlobalBuffer((__gm__ int8_t*)in);
    to.SetGlobalBuffer((__gm__ int8_t*)out);
    const uint32_t block = GetBlockIdx();
    const auto columns = [&](uint32_t bytes, bool adds) {
        for (uint32_t i = 0; i < 50; ++i) {
            LocalTensor<int8_t> tile = queue.AllocTensor<int8_t>();
            const uint32_t at = adds ? i * bytes : (block * 50 + i) * bytes;
            const DataCopyPadExtParams<int8_t> pad(false, 0, 0, 0);
            DataCopyPad(tile, from[at], DataCopyExtParams(kRows, bytes, kPitch - bytes, 0, 0), pad);
            queue.EnQue(tile);
            tile = queue.DeQue<int8_t>();
            if (adds) {
                SetAtomicAdd<int8_t>();
            }
            DataCopyPad(to[at], tile, DataCopyExtParams(kRows, bytes, 0, kPitch - bytes, 0));
            SetAtomicNone();
            queue.FreeTensor(tile);
        }
    };
    if (TILING_KEY_IS(0)) {  // columns of 4 B, all cores side by side
        columns(4, false);
    } else if (TILING_KEY_IS(1)) {  // columns of 1 B
        columns(1, false);
    } else if (TILING_KEY_IS(2)) {  // atomic additions to the same columns
        columns(4, true);
    } else if (TILING_KEY_IS(3)) {  // rows of 64 B at random places, with one copy each
        Rows(queue, from, to, block);
    } else if (TILING_KEY_IS(4)) {  // scalar accesses
        for (uint32_t i = 0; i < 200000; ++i) {
            const uint32_t at = (i % 6000 * 8 + block) * 64 + i % 61;
            to.SetValue(at, static_cast<int8_t>(from.GetValue(at) + 1));
        }
        DataCacheCleanAndInvalid<int8_t, CacheLine::ENTIRE_DATA_CACHE>(to);
    } else if (TILING_KEY_IS(5)) {  // cores that synchronise
        for (uint32_t i = 0; i < 500; ++i) {
            LocalTensor<int8_t> tile = queue.AllocTensor<int8_t>();
            DataCopy(tile, from[(block + i) % 8 * 1024], 1024);
            queue.EnQue(tile);
            tile = queue.DeQue<int8_t>();
            DataCopy(to[(block + i) % 8 * 1024], tile, 1024);
            queue.FreeTensor(tile);
            SyncAll();
        }
    } else if (TILING_KEY_IS(6)) {  // cores that synchronise and do nothing else
        for (uint32_t i = 0; i < 1000; ++i) {
            SyncAll();
        }
    } else if (TILING_KEY_IS(7)) {  // reads of 32 B at random places, many per tile
        Gather(queue, from, to, block);
    }
}
