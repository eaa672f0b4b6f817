// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_REDUCE_REPEAT_REDUCE_SUM_H
#define TWIN_DEVICE_REDUCE_REPEAT_REDUCE_SUM_H

#include "device/reduce/shapes.h"

namespace AscendC {

/// WholeReduceSum of the first elemsInOneRepeat elements of each repeat. dstBlkStride has no effect
/// on this chip.
template <typename T, bool isSetMask = true>
inline void RepeatReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                            const int32_t repeat, const int32_t elemsInOneRepeat,
                            const int32_t /*dstBlkStride*/, const int32_t srcBlkStride,
                            const int32_t dstRepStride, const int32_t srcRepStride, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(RepeatReduceSum, T, half, float);
    ::twin::reduce::Run(
        ::twin::reduce::Make("RepeatReduceSum", ::twin::reduce::Op::Sum,
                             ::twin::reduce::Group::Repeat, dst, src, elemsInOneRepeat, isSetMask,
                             repeat, dstRepStride, srcBlkStride, srcRepStride),
        here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_REDUCE_REPEAT_REDUCE_SUM_H
