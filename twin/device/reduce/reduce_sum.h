// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_REDUCE_REDUCE_SUM_H
#define TWIN_DEVICE_REDUCE_REDUCE_SUM_H

#include "device/reduce/shapes.h"

namespace AscendC {

/// Writes the sum of all elements to dst[0]: the sums of the repeats are added as a tree again,
/// through sharedTmpBuffer.
template <typename T>
inline void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                      const LocalTensor<T>& sharedTmpBuffer, const int32_t mask,
                      const int32_t repeatTimes, const int32_t srcRepStride, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(ReduceSum, T, half, float);
    ::twin::reduce::RunSumOfRepeats(::twin::kDtypeOf<T>, ::twin::Of(dst), ::twin::Of(src),
                                    ::twin::Of(sharedTmpBuffer), ::twin::reduce::Mask::Of(mask),
                                    repeatTimes, srcRepStride, here);
}

template <typename T>
inline void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                      const LocalTensor<T>& sharedTmpBuffer, const uint64_t mask[],
                      const int32_t repeatTimes, const int32_t srcRepStride, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(ReduceSum, T, half, float);
    ::twin::reduce::RunSumOfRepeats(::twin::kDtypeOf<T>, ::twin::Of(dst), ::twin::Of(src),
                                    ::twin::Of(sharedTmpBuffer), ::twin::reduce::Mask::Of(mask),
                                    repeatTimes, srcRepStride, here);
}

/// Writes the sum of `count` elements to dst[0]: the sums of the repeats are added one after the
/// other. This chip does not use sharedTmpBuffer. Without isSetMask the mask register selects the
/// elements.
template <typename T, bool isSetMask = true>
inline void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                      const LocalTensor<T>& /*sharedTmpBuffer*/, const int32_t count, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(ReduceSum, T, half, float);
    ::twin::reduce::RunSumOfCount(::twin::kDtypeOf<T>, ::twin::Of(dst), ::twin::Of(src), count,
                                  isSetMask, here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_REDUCE_REDUCE_SUM_H
