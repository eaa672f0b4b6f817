// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_ADD_DEQ_RELU_H
#define TWIN_DEVICE_VEC_ADD_DEQ_RELU_H

#include "device/types/narrow.h"
#include "device/vec/fused.h"

namespace AscendC {

/// dst = max(half((src0 + src1) * scale), 0) with the scale of SetDeqScale(half). It uses both
/// sources and the 8 KiB after TMP_UB_OFFSET as scratch, so their contents are lost.
template <typename T, typename U, bool isSetMask = true>
inline void AddDeqRelu(const LocalTensor<T>& dst, const LocalTensor<U>& src0,
                       const LocalTensor<U>& src1, uint64_t mask[],
                       const ::twin::Narrow8 repeatTime, const BinaryRepeatParams& repeatParams,
                       TWIN_HERE) {
    TWIN_REFUSE_DTYPE(AddDeqRelu, T, half);
    TWIN_REFUSE_DTYPE(AddDeqRelu, U, int32_t);
    twin::vec::RunAddDeqRelu(twin::Of(dst), twin::Of(src0), twin::Of(src1),
                             twin::vec::Extent::Mask(mask, repeatTime, isSetMask), repeatParams,
                             here);
}

template <typename T, typename U, bool isSetMask = true>
inline void AddDeqRelu(const LocalTensor<T>& dst, const LocalTensor<U>& src0,
                       const LocalTensor<U>& src1, uint64_t mask, const ::twin::Narrow8 repeatTime,
                       const BinaryRepeatParams& repeatParams, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(AddDeqRelu, T, half);
    TWIN_REFUSE_DTYPE(AddDeqRelu, U, int32_t);
    twin::vec::RunAddDeqRelu(twin::Of(dst), twin::Of(src0), twin::Of(src1),
                             twin::vec::Extent::Mask(mask, repeatTime, isSetMask), repeatParams,
                             here);
}

template <typename T, typename U>
inline void AddDeqRelu(const LocalTensor<T>& dst, const LocalTensor<U>& src0,
                       const LocalTensor<U>& src1, const int32_t& calCount, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(AddDeqRelu, T, half);
    TWIN_REFUSE_DTYPE(AddDeqRelu, U, int32_t);
    twin::vec::RunAddDeqRelu(twin::Of(dst), twin::Of(src0), twin::Of(src1),
                             twin::vec::Extent::Elements(calCount), BinaryRepeatParams(), here);
}

template <bool isSetMask = true>
inline void AddDeqRelu(const LocalTensor<half>& dst, const LocalTensor<int32_t>& src0,
                       const LocalTensor<int32_t>& src1, uint64_t mask[],
                       const ::twin::Narrow8 repeatTime, const BinaryRepeatParams& repeatParams,
                       TWIN_HERE) {
    AddDeqRelu<half, int32_t, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams, here);
}

template <bool isSetMask = true>
inline void AddDeqRelu(const LocalTensor<half>& dst, const LocalTensor<int32_t>& src0,
                       const LocalTensor<int32_t>& src1, uint64_t mask,
                       const ::twin::Narrow8 repeatTime, const BinaryRepeatParams& repeatParams,
                       TWIN_HERE) {
    AddDeqRelu<half, int32_t, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams, here);
}

inline void AddDeqRelu(const LocalTensor<half>& dst, const LocalTensor<int32_t>& src0,
                       const LocalTensor<int32_t>& src1, const int32_t& calCount, TWIN_HERE) {
    AddDeqRelu<half, int32_t>(dst, src0, src1, calCount, here);
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_VEC_ADD_DEQ_RELU_H
