// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "device/tensor/local_tensor.h"
#include "device/types/enums.h"
#include "device/types/parameters.h"
#include "device/vec/shapes.h"

namespace AscendC {

/// Strides of Gatherb's destination in blocks of 32 B; the other members have no effect.
TWIN_BLOCK_STRIDES(GatherRepeatParams, uint8_t)

enum class GatherMaskMode : uint8_t { VERSION_V1 = 0, VERSION_V2 = 1 };
const GatherMaskMode defaultGahterMaskMode =
    GatherMaskMode::VERSION_V2;  // the toolkit has this misspelt name
const GatherMaskMode defaultGatherMaskMode = GatherMaskMode::VERSION_V2;

/// Number of repeats of GatherMask, and its strides in blocks of 32 B.
TWIN_PARAMETERS(GatherMaskParams, (uint8_t, src0BlockStride, DEFAULT_BLK_STRIDE),
                (uint16_t, repeatTimes, 0), (uint16_t, src0RepeatStride, DEFAULT_REPEAT_STRIDE),
                (uint8_t, src1RepeatStride, DEFAULT_REPEAT_STRIDE))

}  // namespace AscendC

namespace twin::gather {

/// Sets each active dst[i] to the element that is `base` + offsets[i] bytes after the start of src.
TWIN_API void RunGather(Dtype dtype, const Operand& dst, const Operand& src, const Operand& offsets,
                        uint32_t base, const vec::Extent& extent, uint32_t repeatStride,
                        Location where);
/// Executes Gather with a count as two instructions: for whole repeats, then for the rest.
TWIN_API void RunGatherCount(Dtype dtype, const Operand& dst, const Operand& src,
                             const Operand& offsets, uint32_t base, uint32_t count, Location where);
/// Gathers eight blocks of 32 B per repeat.
TWIN_API void RunGatherb(Dtype dtype, const Operand& dst, const Operand& src,
                         const Operand& offsets, uint8_t repeats,
                         const AscendC::GatherRepeatParams& strides, Location where);
/// Fails in strict mode if the strides of BilinearInterpolation's sums do not fit the instruction
/// (T402).
TWIN_API void CheckBilinear(uint32_t hRepeat, uint32_t vRepeat, uint32_t vROffset, Location where);

/// The pattern of a GatherMask: a built-in pattern (1..7), or the bits of a tensor.
struct Pattern {
    uint8_t builtIn = 0;
    const Operand* bits = nullptr;
};

/// Executes a GatherMask; returns the number of kept elements.
TWIN_API uint64_t RunGatherMask(Dtype dtype, const Operand& dst, const Operand& src,
                                const Pattern& pattern, bool counted, uint32_t mask,
                                const AscendC::GatherMaskParams& params, Location where);

}  // namespace twin::gather

namespace AscendC {

#define TWIN_GATHER_TYPES half, bfloat16_t, float, int16_t, uint16_t, int32_t, uint32_t

/// Sets dst[i] to the element that is srcBaseAddr + srcOffset[i] bytes after the start of src. No
/// repeat may overwrite what a later repeat reads (T405).
template <typename T>
inline void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                   const LocalTensor<uint32_t>& srcOffset, const uint32_t srcBaseAddr,
                   const ::twin::vec::ConstMask mask, const ::twin::Narrow8 repeatTime,
                   const uint16_t dstRepStride, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Gather, T, TWIN_GATHER_TYPES);
    twin::gather::RunGather(twin::kDtypeOf<T>, dst, src, srcOffset, srcBaseAddr,
                            twin::vec::Extent::Mask(mask, repeatTime, true), dstRepStride, here);
}

template <typename T>
inline void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                   const LocalTensor<uint32_t>& srcOffset, const uint32_t srcBaseAddr,
                   const uint32_t count, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Gather, T, TWIN_GATHER_TYPES);
    twin::gather::RunGatherCount(twin::kDtypeOf<T>, dst, src, srcOffset, srcBaseAddr, count, here);
}

#undef TWIN_GATHER_TYPES

/// Sets block i of dst to the 32 B that are offset[i] bytes after the start of src0. A repeat sets
/// eight blocks.
template <typename T>
inline void Gatherb(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                    const LocalTensor<uint32_t>& offset, const ::twin::Narrow8 repeatTime,
                    const GatherRepeatParams& repeatParams, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Gatherb, T, uint16_t, uint32_t);
    twin::gather::RunGatherb(twin::kDtypeOf<T>, dst, src0, offset, repeatTime, repeatParams, here);
}

#define TWIN_GATHER_MASK_TYPES half, bfloat16_t, float, int16_t, uint16_t, int32_t, uint32_t

/// Copies to dst all elements of src0 whose bit in src1Pattern is 1, without gaps. rsvdCnt gets the
/// number of copied elements. A repeat has `mask` elements if reduceMode is true, otherwise 256 B.
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
    const twin::Operand bits = src1Pattern;
    rsvdCnt =
        twin::gather::RunGatherMask(twin::kDtypeOf<T>, dst, src0, twin::gather::Pattern{0, &bits},
                                    reduceMode, mask, gatherMaskParams, here);
}

/// Copies the elements of a built-in pattern: 1 even, 2 odd, 3..6 one of four, 7 all elements.
template <typename T, GatherMaskMode mode = defaultGatherMaskMode>
inline void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                       const uint8_t src1Pattern, const bool reduceMode, const uint32_t mask,
                       const GatherMaskParams& gatherMaskParams, uint64_t& rsvdCnt, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(GatherMask, T, TWIN_GATHER_MASK_TYPES);
    static_assert(mode == GatherMaskMode::VERSION_V2, "GatherMask: A2/A3 have VERSION_V2 only");
    rsvdCnt = twin::gather::RunGatherMask(twin::kDtypeOf<T>, dst, src0,
                                          twin::gather::Pattern{src1Pattern, nullptr}, reduceMode,
                                          mask, gatherMaskParams, here);
}

/// Returns the number of elements that the last GatherMask kept.
inline int64_t GetGatherMaskRemainCount(TWIN_HERE) {
    twin::Self().Begin(here);
    return static_cast<int64_t>(twin::Self().gatherKept);
}

#undef TWIN_GATHER_MASK_TYPES

/// Refuses every call at compile time, because the vector unit of A2/A3 cannot scatter.
template <typename T, typename... Arguments>
inline void Scatter(const LocalTensor<T>&, const Arguments&...) {
    static_assert(sizeof(T) == 0,
                  "Scatter is not supported on A2/A3: write with SetValue, or copy rows with "
                  "DataCopyPad");
}

}  // namespace AscendC
