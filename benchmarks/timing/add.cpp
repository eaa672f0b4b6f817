// SPDX-License-Identifier: Apache-2.0
// Computes z = x + y for vectors of half. TILE is the number of elements in a tile. SETS is the
// number of buffer sets (2: ping-pong). With BYPASS, reads of x and y bypass the L2 cache. With
// SERIAL, a tile is loaded only after the previous tile is stored.
#include "kernel_operator.h"

using namespace AscendC;

namespace {

constexpr uint32_t kTile = TILE;
constexpr uint32_t kBytes = kTile * sizeof(half);

class Add1 {
public:
    __aicore__ inline Add1(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t elements) {
        const uint32_t tiles = elements / kTile;
        const uint32_t each = tiles / GetBlockNum();
        const uint32_t more = tiles % GetBlockNum();
        const uint32_t block = GetBlockIdx();
        first_ = block * each + (block < more ? block : more);
        count_ = each + (block < more ? 1 : 0);
        x_.SetGlobalBuffer((__gm__ half*)x, elements);
        y_.SetGlobalBuffer((__gm__ half*)y, elements);
        z_.SetGlobalBuffer((__gm__ half*)z, elements);
#ifdef BYPASS
        x_.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
        y_.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
#endif
    }
    __aicore__ inline void Process() {
        for (int32_t set = 0; set < SETS; ++set) {
            SetFlag<HardEvent::V_MTE2>(set);
            SetFlag<HardEvent::MTE3_V>(set);
        }
        for (uint32_t i = 0; i < count_; ++i) {
            Step(i % SETS, (first_ + i) * kTile);
        }
        for (int32_t set = 0; set < SETS; ++set) {
            WaitFlag<HardEvent::V_MTE2>(set);
            WaitFlag<HardEvent::MTE3_V>(set);
        }
    }

private:
    __aicore__ inline void Step(int32_t set, uint32_t offset) {
        const uint32_t begin = set * 3 * kBytes;
        LocalTensor<half> x(TPosition::VECCALC, begin, kTile);
        LocalTensor<half> y(TPosition::VECCALC, begin + kBytes, kTile);
        LocalTensor<half> z(TPosition::VECCALC, begin + 2 * kBytes, kTile);
        WaitFlag<HardEvent::V_MTE2>(set);
        DataCopy(x, x_[offset], kTile);
        DataCopy(y, y_[offset], kTile);
        SetFlag<HardEvent::MTE2_V>(set);
        WaitFlag<HardEvent::MTE2_V>(set);
        WaitFlag<HardEvent::MTE3_V>(set);
#ifdef SCALAR
        SetFlag<HardEvent::V_S>(set);
        WaitFlag<HardEvent::V_S>(set);
        for (uint32_t i = 0; i < kTile; ++i) {
            z.SetValue(i, (half)((float)x.GetValue(i) + (float)y.GetValue(i)));
        }
        SetFlag<HardEvent::S_V>(set);
        WaitFlag<HardEvent::S_V>(set);
#else
        Add(z, x, y, kTile);
#endif
#ifndef SERIAL
        SetFlag<HardEvent::V_MTE2>(set);
#endif
        SetFlag<HardEvent::V_MTE3>(set);
        WaitFlag<HardEvent::V_MTE3>(set);
        DataCopy(z_[offset], z, kTile);
        SetFlag<HardEvent::MTE3_V>(set);
#ifdef SERIAL
        SetFlag<HardEvent::MTE3_MTE2>(set);
        WaitFlag<HardEvent::MTE3_MTE2>(set);
        SetFlag<HardEvent::V_MTE2>(set);
#endif
    }

    GlobalTensor<half> x_, y_, z_;
    uint32_t first_, count_;
};

}  // namespace

extern "C" __global__ __aicore__ void add_tiles(GM_ADDR x, GM_ADDR y, GM_ADDR z,
                                                uint32_t elements) {
    Add1 add(x, y, z, elements);
    add.Process();
}
