// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/library/tmp.h"
#include "device/vec/shapes.h"

// One dimension: 1 to n. Two: [1, n] to [m, n] along axis 0, [m, 1] to [m, n] along axis 1.
#define TWIN_BROADCAST(API)                                                                       \
    template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>                  \
    inline void API(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,               \
                    const uint32_t dstShape[dim], const uint32_t srcShape[dim],                   \
                    LocalTensor<uint8_t>& sharedTmpBuffer, TWIN_HERE) {                           \
        ::twin::advanced::CheckBroadcast<T, dim, axis>();                                         \
        ::twin::advanced::RunBroadcast(                                                           \
            ::twin::Opcode::API, ::twin::kDtypeOf<T>, ::twin::Of(dstLocal), ::twin::Of(srcLocal), \
            ::twin::advanced::ShapeOf<dim>(dstShape, srcShape, axis), sharedTmpBuffer, here);     \
    }                                                                                             \
    template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>                  \
    inline void API(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,               \
                    const uint32_t dstShape[dim], const uint32_t srcShape[dim], TWIN_HERE) {      \
        ::twin::advanced::CheckBroadcast<T, dim, axis>();                                         \
        ::twin::advanced::RunBroadcast(                                                           \
            ::twin::Opcode::API, ::twin::kDtypeOf<T>, ::twin::Of(dstLocal), ::twin::Of(srcLocal), \
            ::twin::advanced::ShapeOf<dim>(dstShape, srcShape, axis), {}, here);                  \
    }

namespace twin::advanced {

/// Shapes of a broadcast; if there is one dimension, the first one is 1.
struct BroadcastShape {
    uint32_t dst[2];
    uint32_t src[2];
    int32_t axis;
};

template <int32_t dim>
BroadcastShape ShapeOf(const uint32_t* dst, const uint32_t* src, int32_t axis) {
    return dim == 1 ? BroadcastShape{{1, dst[0]}, {1, src[0]}, 1}
                    : BroadcastShape{{dst[0], dst[1]}, {src[0], src[1]}, axis};
}

TWIN_API void RunBroadcast(Opcode api, Dtype dtype, const Operand& dst, const Operand& src,
                           const BroadcastShape& shape, const Tmp& tmp, Location where);

template <typename T, int32_t dim, int32_t axis>
constexpr void CheckBroadcast() {
    // The library moves bits, so it accepts 16-bit and 32-bit types that its page does not list.
    TWIN_REFUSE_DTYPE(Broadcast, T, int8_t, uint8_t, half, bfloat16_t, int16_t, uint16_t, float,
                      int32_t, uint32_t);
    static_assert(dim == 1 || dim == 2, "Broadcast: dim is 1 or 2");
    static_assert(axis == 0 || axis == 1, "Broadcast: axis is 0 or 1");
}

}  // namespace twin::advanced

namespace AscendC {

TWIN_BROADCAST(Broadcast)
/// The name inside the library, which public kernels also call.
TWIN_BROADCAST(BroadCast)

}  // namespace AscendC
