// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_FILL_INDEX_H
#define TWIN_DEVICE_FILL_INDEX_H

#include "device/fill/patterns.h"
#include "device/types/narrow.h"

namespace AscendC {

/// dst[i] = firstValue + i * diffValue; if there is more than one block, the last block is filled
/// to its end.
template <typename T>
inline void ArithProgression(const LocalTensor<T>& dst, const T firstValue, const T diffValue,
                             const int32_t count, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(ArithProgression, T, half, float, int16_t, int32_t);
    twin::fill::RunProgression(twin::kDtypeOf<T>, twin::Of(dst), &firstValue, &diffValue, count,
                               here);
}

/// The newer name of ArithProgression.
template <typename T>
inline void Arange(const LocalTensor<T>& dst, const T firstValue, const T diffValue,
                   const int32_t count, TWIN_HERE) {
    ArithProgression<T>(dst, firstValue, diffValue, count, here);
}

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

#endif  // TWIN_DEVICE_FILL_INDEX_H
