// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_DUPLICATE_H
#define TWIN_DEVICE_VEC_DUPLICATE_H

#include "device/tensor/raw_pointer.h"
#include "device/types/narrow.h"
#include "device/vec/shapes.h"

namespace AscendC {

#define TWIN_DUPLICATE_TYPES half, bfloat16_t, float, int16_t, uint16_t, int32_t, uint32_t

/// dst[i] = scalar. Strides are in blocks of 32 B.
template <typename T, bool isSetMask = true>
inline void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, uint64_t mask,
                      const ::twin::Narrow8 repeatTime, const uint16_t dstBlockStride,
                      const uint8_t dstRepeatStride, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Duplicate, T, TWIN_DUPLICATE_TYPES);
    twin::vec::RunDuplicate(twin::kDtypeOf<T>, twin::Of(dst), &scalarValue,
                            twin::vec::Extent::Mask(mask, repeatTime, isSetMask), dstBlockStride,
                            dstRepeatStride, here);
}

template <typename T, bool isSetMask = true>
inline void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, uint64_t mask[],
                      const ::twin::Narrow8 repeatTime, const uint16_t dstBlockStride,
                      const uint8_t dstRepeatStride, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Duplicate, T, TWIN_DUPLICATE_TYPES);
    twin::vec::RunDuplicate(twin::kDtypeOf<T>, twin::Of(dst), &scalarValue,
                            twin::vec::Extent::Mask(mask, repeatTime, isSetMask), dstBlockStride,
                            dstRepeatStride, here);
}

template <typename T>
inline void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, const int32_t& calCount,
                      TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Duplicate, T, TWIN_DUPLICATE_TYPES);
    twin::vec::RunDuplicate(twin::kDtypeOf<T>, twin::Of(dst), &scalarValue,
                            twin::vec::Extent::Elements(calCount), 1, 8, here);
}

#undef TWIN_DUPLICATE_TYPES

// Inner functions of the toolkit that public kernels call, with raw pointers and the current mask.

template <typename T>
inline void DuplicateIntrinsicsImpl(__ubuf__ T* dst, T scalarValue, const uint8_t repeatTimes,
                                    const uint16_t dstBlockStride, const uint8_t dstRepeatStride,
                                    TWIN_HERE) {
    Duplicate<T, false>(twin::LocalTensorAt(dst, "DuplicateIntrinsicsImpl", here), scalarValue,
                        static_cast<uint64_t>(MASK_PLACEHOLDER), repeatTimes, dstBlockStride,
                        dstRepeatStride, here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_VEC_DUPLICATE_H
