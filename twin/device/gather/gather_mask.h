// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_GATHER_GATHER_MASK_H
#define TWIN_DEVICE_GATHER_GATHER_MASK_H

#include "device/gather/selection.h"

namespace AscendC {

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

}  // namespace AscendC

#endif  // TWIN_DEVICE_GATHER_GATHER_MASK_H
