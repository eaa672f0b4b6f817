// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_GATHER_GATHER_H
#define TWIN_DEVICE_GATHER_GATHER_H

#include "device/gather/selection.h"
#include "device/tensor/local_tensor.h"
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

/// Sets block i of dst to the 32 B that are offset[i] bytes after the start of src; eight blocks
/// per repeat.
template <typename T>
inline void Gatherb(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                    const LocalTensor<uint32_t>& offset, const ::twin::Narrow8 repeatTime,
                    const GatherRepeatParams& repeatParams, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Gatherb, T, uint16_t, uint32_t);
    twin::gather::RunGatherb(twin::kDtypeOf<T>, twin::Of(dst), twin::Of(src0), twin::Of(offset),
                             repeatTime, repeatParams, here);
}

#define TWIN_GATHER_MASK_TYPES half, bfloat16_t, float, int16_t, uint16_t, int32_t, uint32_t

/// Packs the elements of src0 whose bit in src1Pattern is 1; rsvdCnt is their number. With
/// reduceMode, each repeat has `mask` elements; otherwise 256 B, whatever the mask says.
template <typename T, typename U, GatherMaskMode mode = defaultGatherMaskMode>
inline void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                       const LocalTensor<U>& src1Pattern, const bool reduceMode,
                       const uint32_t mask, const GatherMaskParams& gatherMaskParams,
                       uint64_t& rsvdCnt, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(GatherMask, T, TWIN_GATHER_MASK_TYPES);
    static_assert((sizeof(T) == 2 && IsSameType<U, uint16_t>::value) ||
                      (sizeof(T) == 4 && IsSameType<U, uint32_t>::value),
                  "GatherMask: src1Pattern is uint16_t for 16-bit data, uint32_t for 32-bit data");
    static_assert(mode == GatherMaskMode::VERSION_V2, "GatherMask: A2/A3 have VERSION_V2 only");
    const twin::Operand bits = twin::Of(src1Pattern);
    rsvdCnt = twin::gather::RunGatherMask(twin::kDtypeOf<T>, twin::Of(dst), twin::Of(src0),
                                          twin::gather::Pattern{0, &bits}, reduceMode, mask,
                                          gatherMaskParams, here);
}

/// Does the same with a pattern of the chip: 1 even, 2 odd, 3..6 one of four, 7 all elements.
template <typename T, GatherMaskMode mode = defaultGatherMaskMode>
inline void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                       const uint8_t src1Pattern, const bool reduceMode, const uint32_t mask,
                       const GatherMaskParams& gatherMaskParams, uint64_t& rsvdCnt, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(GatherMask, T, TWIN_GATHER_MASK_TYPES);
    static_assert(mode == GatherMaskMode::VERSION_V2, "GatherMask: A2/A3 have VERSION_V2 only");
    rsvdCnt = twin::gather::RunGatherMask(twin::kDtypeOf<T>, twin::Of(dst), twin::Of(src0),
                                          twin::gather::Pattern{src1Pattern, nullptr}, reduceMode,
                                          mask, gatherMaskParams, here);
}

/// Number of elements that the last GatherMask kept.
inline int64_t GetGatherMaskRemainCount(TWIN_HERE) {
    twin::Self().Begin(here);
    return static_cast<int64_t>(twin::Self().gatherKept);
}

#undef TWIN_GATHER_MASK_TYPES

/// The vector unit of A2/A3 cannot scatter; every call is refused at compile time, whatever its
/// arguments.
template <typename T, typename... Arguments>
inline void Scatter(const LocalTensor<T>&, const Arguments&...) {
    static_assert(sizeof(T) == 0,
                  "Scatter is not supported on A2/A3: write with SetValue, or copy rows with "
                  "DataCopyPad");
}

}  // namespace AscendC

#endif  // TWIN_DEVICE_GATHER_GATHER_H
