// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_FILL_COPY_H
#define TWIN_DEVICE_FILL_COPY_H

#include "device/fill/patterns.h"
#include "device/types/narrow.h"

namespace AscendC {

#define TWIN_COPY_TYPES half, bfloat16_t, float, int16_t, uint16_t, int32_t, uint32_t

/// The vector unit copies dst[i] = src[i]. In counter mode the mask register holds the number of
/// elements of each repeat, and the repeat count counts.
template <typename T, bool isSetMask = true>
inline void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask[],
                 const ::twin::Narrow8 repeatTime, const CopyRepeatParams& repeatParams,
                 TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Copy, T, TWIN_COPY_TYPES);
    twin::fill::RunCopy(twin::kDtypeOf<T>, twin::Of(dst), twin::Of(src),
                        twin::vec::Extent::Mask(mask, repeatTime, isSetMask), repeatParams, here);
}

template <typename T, bool isSetMask = true>
inline void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask,
                 const ::twin::Narrow8 repeatTime, const CopyRepeatParams& repeatParams,
                 TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Copy, T, TWIN_COPY_TYPES);
    twin::fill::RunCopy(twin::kDtypeOf<T>, twin::Of(dst), twin::Of(src),
                        twin::vec::Extent::Mask(mask, repeatTime, isSetMask), repeatParams, here);
}

#undef TWIN_COPY_TYPES

}  // namespace AscendC

#endif  // TWIN_DEVICE_FILL_COPY_H
