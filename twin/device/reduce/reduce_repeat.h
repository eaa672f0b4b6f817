// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_REDUCE_REDUCE_REPEAT_H
#define TWIN_DEVICE_REDUCE_REDUCE_REPEAT_H

#include "device/reduce/shapes.h"

namespace AscendC {

/// Newer name of WholeReduceSum, WholeReduceMax and WholeReduceMin; `order` has no effect on SUM.
template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>
inline void ReduceRepeat(const LocalTensor<T>& dst, const LocalTensor<U>& src, const int32_t mask,
                         const int32_t repeatTime, const int32_t dstRepStride,
                         const int32_t srcBlkStride, const int32_t srcRepStride,
                         ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(ReduceRepeat, T, half, float);
    static_assert(IsSameType<T, U>::value, "ReduceRepeat: on A2/A3 dst and src have one type");
    static_assert(reduceType != ReduceType::NONE,
                  "ReduceRepeat: reduceType has to be SUM, MAX or MIN");
    ::twin::reduce::Request request = ::twin::reduce::Make(
        "ReduceRepeat", ::twin::reduce::OpOf(reduceType), ::twin::reduce::Group::Repeat, dst, src,
        mask, isSetMask, repeatTime, dstRepStride, srcBlkStride, srcRepStride);
    if (reduceType != ReduceType::SUM) {
        request.order = order;
    }
    ::twin::reduce::Run(request, here);
}

template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>
inline void ReduceRepeat(const LocalTensor<T>& dst, const LocalTensor<U>& src,
                         const uint64_t mask[], const int32_t repeatTime,
                         const int32_t dstRepStride, const int32_t srcBlkStride,
                         const int32_t srcRepStride,
                         ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(ReduceRepeat, T, half, float);
    static_assert(IsSameType<T, U>::value, "ReduceRepeat: on A2/A3 dst and src have one type");
    static_assert(reduceType != ReduceType::NONE,
                  "ReduceRepeat: reduceType has to be SUM, MAX or MIN");
    ::twin::reduce::Request request = ::twin::reduce::Make(
        "ReduceRepeat", ::twin::reduce::OpOf(reduceType), ::twin::reduce::Group::Repeat, dst, src,
        mask, isSetMask, repeatTime, dstRepStride, srcBlkStride, srcRepStride);
    if (reduceType != ReduceType::SUM) {
        request.order = order;
    }
    ::twin::reduce::Run(request, here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_REDUCE_REDUCE_REPEAT_H
