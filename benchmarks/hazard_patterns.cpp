// SPDX-License-Identifier: Apache-2.0
// Access patterns that slow the twin most if the hazard checker is on: they access global memory in
// many small pieces. Each tiling key chooses a pattern; bench_hazards.py names them.
#include "kernel_operator.h"
using namespace AscendC;

namespace {

constexpr uint32_t kRows = 2000;
constexpr uint32_t kPitch = 1600;  // bytes from the start of a row to the next

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
    if (TILING_KEY_IS(0)) {  // copies of columns of 4 B; no two cores copy the same column
        columns(4, false);
    } else if (TILING_KEY_IS(1)) {  // copies of columns of 1 B; no two cores copy the same column
        columns(1, false);
    } else if (TILING_KEY_IS(2)) {  // atomic additions; all cores add to the same columns
        columns(4, true);
    } else if (TILING_KEY_IS(3)) {  // one copy for each row of 64 B, at random offsets
        Rows(queue, from, to, block);
    } else if (TILING_KEY_IS(4)) {  // scalar accesses
        for (uint32_t i = 0; i < 200000; ++i) {
            const uint32_t at = (i % 6000 * 8 + block) * 64 + i % 61;
            to.SetValue(at, static_cast<int8_t>(from.GetValue(at) + 1));
        }
        DataCacheCleanAndInvalid<int8_t, CacheLine::ENTIRE_DATA_CACHE>(to);
    } else if (TILING_KEY_IS(5)) {  // cores that copy, then synchronise
        for (uint32_t i = 0; i < 500; ++i) {
            LocalTensor<int8_t> tile = queue.AllocTensor<int8_t>();
            DataCopy(tile, from[(block + i) % 8 * 1024], 1024);
            queue.EnQue(tile);
            tile = queue.DeQue<int8_t>();
            DataCopy(to[(block + i) % 8 * 1024], tile, 1024);
            queue.FreeTensor(tile);
            SyncAll();
        }
    } else if (TILING_KEY_IS(6)) {  // cores that only synchronise
        for (uint32_t i = 0; i < 1000; ++i) {
            SyncAll();
        }
    } else if (TILING_KEY_IS(7)) {  // many reads of 32 B per tile, at random offsets
        Gather(queue, from, to, block);
    }
}
