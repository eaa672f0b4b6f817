// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_FILL_CREATE_VEC_INDEX_H
#define TWIN_DEVICE_FILL_CREATE_VEC_INDEX_H

#include "device/fill/patterns.h"
#include "device/types/narrow.h"

namespace AscendC {

/// dst[i] = firstValue + i; `i` counts the elements of all repeats, masked or not.
template <typename T>
inline void CreateVecIndex(LocalTensor<T>& dst, const T& firstValue, uint64_t mask,
                           const ::twin::Narrow8 repeatTime, uint16_t dstBlkStride,
                           uint8_t dstRepStride, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(CreateVecIndex, T, half, float, int16_t, int32_t);
    twin::fill::RunVecIndex(twin::kDtypeOf<T>, twin::Of(dst), &firstValue,
                            twin::vec::Extent::Mask(mask, repeatTime, true), dstBlkStride,
                            dstRepStride, here);
}

template <typename T>
inline void CreateVecIndex(LocalTensor<T>& dst, const T& firstValue, uint64_t mask[],
                           const ::twin::Narrow8 repeatTime, uint16_t dstBlkStride,
                           uint8_t dstRepStride, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(CreateVecIndex, T, half, float, int16_t, int32_t);
    twin::fill::RunVecIndex(twin::kDtypeOf<T>, twin::Of(dst), &firstValue,
                            twin::vec::Extent::Mask(mask, repeatTime, true), dstBlkStride,
                            dstRepStride, here);
}

/// If there is only one block, it is filled to its end.
template <typename T>
inline void CreateVecIndex(LocalTensor<T> dst, const T& firstValue, uint32_t calCount, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(CreateVecIndex, T, half, float, int16_t, int32_t);
    twin::fill::RunVecIndex(twin::kDtypeOf<T>, twin::Of(dst), &firstValue,
                            twin::vec::Extent::Elements(calCount), 1, 8, here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_FILL_CREATE_VEC_INDEX_H
