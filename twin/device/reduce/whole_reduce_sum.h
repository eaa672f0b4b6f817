// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_REDUCE_WHOLE_REDUCE_SUM_H
#define TWIN_DEVICE_REDUCE_WHOLE_REDUCE_SUM_H

#include "device/reduce/shapes.h"

namespace AscendC {

/// Sum of each repeat, as a tree of neighbouring pairs. dstRepStride counts elements.
template <typename T, bool isSetMask = true>
inline void WholeReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t mask,
                           const int32_t repeatTimes, const int32_t dstRepStride,
                           const int32_t srcBlkStride, const int32_t srcRepStride, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(WholeReduceSum, T, half, float);
    ::twin::reduce::Run(
        ::twin::reduce::Make("WholeReduceSum", ::twin::reduce::Op::Sum,
                             ::twin::reduce::Group::Repeat, dst, src, mask, isSetMask, repeatTimes,
                             dstRepStride, srcBlkStride, srcRepStride),
        here);
}

template <typename T, bool isSetMask = true>
inline void WholeReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                           const uint64_t mask[], const int32_t repeatTimes,
                           const int32_t dstRepStride, const int32_t srcBlkStride,
                           const int32_t srcRepStride, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(WholeReduceSum, T, half, float);
    ::twin::reduce::Run(
        ::twin::reduce::Make("WholeReduceSum", ::twin::reduce::Op::Sum,
                             ::twin::reduce::Group::Repeat, dst, src, mask, isSetMask, repeatTimes,
                             dstRepStride, srcBlkStride, srcRepStride),
        here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_REDUCE_WHOLE_REDUCE_SUM_H
