// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_REDUCE_REDUCE_PAIR_ELEM_H
#define TWIN_DEVICE_REDUCE_REDUCE_PAIR_ELEM_H

#include "device/reduce/shapes.h"

namespace AscendC {

/// Newer name of PairReduceSum; the mask comes before the repeat count.
template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>
inline void ReducePairElem(const LocalTensor<T>& dst, const LocalTensor<U>& src, const int32_t mask,
                           const int32_t repeatTime, const int32_t dstRepStride,
                           const int32_t srcBlkStride, const int32_t srcRepStride, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(ReducePairElem, T, half, float);
    static_assert(IsSameType<T, U>::value, "ReducePairElem: on A2/A3 dst and src have one type");
    static_assert(reduceType == ReduceType::SUM, "ReducePairElem: reduceType has to be SUM");
    ::twin::reduce::Run(::twin::reduce::Make("ReducePairElem", ::twin::reduce::Op::Sum,
                                             ::twin::reduce::Group::Pair, dst, src, mask, isSetMask,
                                             repeatTime, dstRepStride, srcBlkStride, srcRepStride),
                        here);
}

template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>
inline void ReducePairElem(const LocalTensor<T>& dst, const LocalTensor<U>& src,
                           const uint64_t mask[], const int32_t repeatTime,
                           const int32_t dstRepStride, const int32_t srcBlkStride,
                           const int32_t srcRepStride, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(ReducePairElem, T, half, float);
    static_assert(IsSameType<T, U>::value, "ReducePairElem: on A2/A3 dst and src have one type");
    static_assert(reduceType == ReduceType::SUM, "ReducePairElem: reduceType has to be SUM");
    ::twin::reduce::Run(::twin::reduce::Make("ReducePairElem", ::twin::reduce::Op::Sum,
                                             ::twin::reduce::Group::Pair, dst, src, mask, isSetMask,
                                             repeatTime, dstRepStride, srcBlkStride, srcRepStride),
                        here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_REDUCE_REDUCE_PAIR_ELEM_H
