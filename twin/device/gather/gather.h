// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_GATHER_GATHER_H
#define TWIN_DEVICE_GATHER_GATHER_H

#include "device/gather/selection.h"
#include "device/types/narrow.h"

namespace AscendC {

#define TWIN_GATHER_TYPES half, bfloat16_t, float, int16_t, uint16_t, int32_t, uint32_t

/// Sets dst[i] to the element srcBaseAddr + srcOffset[i] bytes after the start of src. dst and src
/// do not overlap.
template <typename T>
inline void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                   const LocalTensor<uint32_t>& srcOffset, const uint32_t srcBaseAddr,
                   const uint64_t mask, const ::twin::Narrow8 repeatTime,
                   const uint16_t dstRepStride, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Gather, T, TWIN_GATHER_TYPES);
    twin::gather::RunGather(twin::kDtypeOf<T>, twin::Of(dst), twin::Of(src), twin::Of(srcOffset),
                            srcBaseAddr, twin::vec::Extent::Mask(mask, repeatTime, true),
                            dstRepStride, here);
}

template <typename T>
inline void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                   const LocalTensor<uint32_t>& srcOffset, const uint32_t srcBaseAddr,
                   const uint64_t mask[], const ::twin::Narrow8 repeatTime,
                   const uint16_t dstRepStride, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Gather, T, TWIN_GATHER_TYPES);
    twin::gather::RunGather(twin::kDtypeOf<T>, twin::Of(dst), twin::Of(src), twin::Of(srcOffset),
                            srcBaseAddr, twin::vec::Extent::Mask(mask, repeatTime, true),
                            dstRepStride, here);
}

template <typename T>
inline void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                   const LocalTensor<uint32_t>& srcOffset, const uint32_t srcBaseAddr,
                   const uint32_t count, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Gather, T, TWIN_GATHER_TYPES);
    twin::gather::RunGatherCount(twin::kDtypeOf<T>, twin::Of(dst), twin::Of(src),
                                 twin::Of(srcOffset), srcBaseAddr, count, here);
}

#undef TWIN_GATHER_TYPES

}  // namespace AscendC

#endif  // TWIN_DEVICE_GATHER_GATHER_H
