// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_REDUCE_REDUCE_DATA_BLOCK_H
#define TWIN_DEVICE_REDUCE_REDUCE_DATA_BLOCK_H

#include "device/reduce/shapes.h"

namespace AscendC {

/// Newer name of BlockReduceSum, BlockReduceMax and BlockReduceMin; the mask comes before the
/// repeat count.
template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>
inline void ReduceDataBlock(const LocalTensor<T>& dst, const LocalTensor<U>& src,
                            const int32_t mask, const int32_t repeatTime,
                            const int32_t dstRepStride, const int32_t srcBlkStride,
                            const int32_t srcRepStride, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(ReduceDataBlock, T, half, float);
    static_assert(IsSameType<T, U>::value, "ReduceDataBlock: on A2/A3 dst and src have one type");
    static_assert(reduceType != ReduceType::NONE,
                  "ReduceDataBlock: reduceType has to be SUM, MAX or MIN");
    ::twin::reduce::Request request = ::twin::reduce::Make(
        "ReduceDataBlock", ::twin::reduce::OpOf(reduceType), ::twin::reduce::Group::Block, dst, src,
        mask, isSetMask, repeatTime, dstRepStride, srcBlkStride, srcRepStride);
    ::twin::reduce::Run(request, here);
}

template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>
inline void ReduceDataBlock(const LocalTensor<T>& dst, const LocalTensor<U>& src,
                            const uint64_t mask[], const int32_t repeatTime,
                            const int32_t dstRepStride, const int32_t srcBlkStride,
                            const int32_t srcRepStride, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(ReduceDataBlock, T, half, float);
    static_assert(IsSameType<T, U>::value, "ReduceDataBlock: on A2/A3 dst and src have one type");
    static_assert(reduceType != ReduceType::NONE,
                  "ReduceDataBlock: reduceType has to be SUM, MAX or MIN");
    ::twin::reduce::Request request = ::twin::reduce::Make(
        "ReduceDataBlock", ::twin::reduce::OpOf(reduceType), ::twin::reduce::Group::Block, dst, src,
        mask, isSetMask, repeatTime, dstRepStride, srcBlkStride, srcRepStride);
    ::twin::reduce::Run(request, here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_REDUCE_REDUCE_DATA_BLOCK_H
