// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/types/integer_helpers.h"
#include "device/vec/shapes.h"

namespace AscendC {

/// Strides of Brcb's destination in blocks of 32 B; the other members have no effect.
struct BrcbRepeatParams {
    BrcbRepeatParams() = default;
    TWIN_CONSTRUCTOR(BrcbRepeatParams, (uint16_t, dstBlkStride), (uint16_t, dstRepStride))
    TWIN_MEMBERS((uint32_t, blockNumber, DEFAULT_BLK_NUM),
                 (uint16_t, dstRepStride, DEFAULT_REPEAT_STRIDE),
                 (uint16_t, dstBlkStride, DEFAULT_BLK_STRIDE),
                 (uint8_t, src0BlkStride, DEFAULT_BLK_STRIDE),
                 (uint8_t, src1BlkStride, DEFAULT_BLK_STRIDE),
                 (uint8_t, src0RepStride, DEFAULT_REPEAT_STRIDE),
                 (uint8_t, src1RepStride, DEFAULT_REPEAT_STRIDE), (bool, repeatStrideMode, false),
                 (bool, strideSizeMode, false))
};

/// Strides of Copy in blocks of 32 B. The strides inside a repeat start at 0, not at 1.
TWIN_PARAMETERS(CopyRepeatParams, (uint16_t, dstStride, 0), (uint16_t, srcStride, 0),
                (uint16_t, dstRepeatSize, DEFAULT_REPEAT_STRIDE),
                (uint16_t, srcRepeatSize, DEFAULT_REPEAT_STRIDE))

}  // namespace AscendC

namespace twin::fill {

/// Writes first, first + 1, ...: the scalar unit writes one block, Adds the rest. `first` points to
/// one element of the type.
TWIN_API void RunVecIndex(Dtype dtype, const Operand& dst, const void* first,
                          const vec::Extent& extent, uint32_t blockStride, uint32_t repeatStride,
                          Location where);
/// Writes first, first + diff, ...
TWIN_API void RunProgression(Dtype dtype, const Operand& dst, const void* first, const void* diff,
                             int32_t count, Location where);
TWIN_API void RunBrcb(Dtype dtype, const Operand& dst, const Operand& src, uint8_t repeats,
                      const AscendC::BrcbRepeatParams& strides, Location where);
TWIN_API void RunCopy(Dtype dtype, const Operand& dst, const Operand& src,
                      const vec::Extent& extent, const AscendC::CopyRepeatParams& strides,
                      Location where);

}  // namespace twin::fill

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

/// Each repeat spreads the next eight elements of src0 over a block of 32 B each.
template <typename T>
inline void Brcb(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                 const ::twin::Narrow8 repeatTime, const BrcbRepeatParams& repeatParams,
                 TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Brcb, T, half, bfloat16_t, float, int16_t, uint16_t, int32_t, uint32_t);
    twin::fill::RunBrcb(twin::kDtypeOf<T>, twin::Of(dst), twin::Of(src0), repeatTime, repeatParams,
                        here);
}

#define TWIN_COPY_TYPES half, bfloat16_t, float, int16_t, uint16_t, int32_t, uint32_t

/// The vector unit copies dst[i] = src[i]. In counter mode the mask register holds the number of
/// elements of each repeat, and the repeat count counts.
template <typename T, bool isSetMask = true>
inline void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                 const ::twin::vec::ConstMask mask, const ::twin::Narrow8 repeatTime,
                 const CopyRepeatParams& repeatParams, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Copy, T, TWIN_COPY_TYPES);
    twin::fill::RunCopy(twin::kDtypeOf<T>, twin::Of(dst), twin::Of(src),
                        twin::vec::Extent::Mask(mask, repeatTime, isSetMask), repeatParams, here);
}

#undef TWIN_COPY_TYPES

/// dst[i] = firstValue + i; `i` counts the elements of all repeats, masked or not.
template <typename T>
inline void CreateVecIndex(LocalTensor<T>& dst, const T& firstValue, const ::twin::vec::Mask mask,
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
