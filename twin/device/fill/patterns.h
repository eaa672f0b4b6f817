// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_FILL_PATTERNS_H
#define TWIN_DEVICE_FILL_PATTERNS_H

#include "device/vec/shapes.h"

namespace AscendC {

/// Strides of Brcb's destination in blocks of 32 B; the other members have no effect.
struct BrcbRepeatParams {
    BrcbRepeatParams() = default;
    BrcbRepeatParams(const uint16_t dstBlk, const uint16_t dstRep)
        : dstRepStride(dstRep), dstBlkStride(dstBlk) {}

    uint32_t blockNumber = DEFAULT_BLK_NUM;
    uint16_t dstRepStride = DEFAULT_REPEAT_STRIDE;
    uint16_t dstBlkStride = DEFAULT_BLK_STRIDE;
    uint8_t src0BlkStride = DEFAULT_BLK_STRIDE;
    uint8_t src1BlkStride = DEFAULT_BLK_STRIDE;
    uint8_t src0RepStride = DEFAULT_REPEAT_STRIDE;
    uint8_t src1RepStride = DEFAULT_REPEAT_STRIDE;
    bool repeatStrideMode = false;
    bool strideSizeMode = false;
};

/// Strides of Copy in blocks of 32 B. The strides inside a repeat start at 0, not at 1.
struct CopyRepeatParams {
    CopyRepeatParams() = default;
    CopyRepeatParams(const uint16_t dstBlk, const uint16_t srcBlk, uint16_t dstRep, uint16_t srcRep)
        : dstStride(dstBlk), srcStride(srcBlk), dstRepeatSize(dstRep), srcRepeatSize(srcRep) {}

    uint16_t dstStride = 0;
    uint16_t srcStride = 0;
    uint16_t dstRepeatSize = DEFAULT_REPEAT_STRIDE;
    uint16_t srcRepeatSize = DEFAULT_REPEAT_STRIDE;
};

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

#endif  // TWIN_DEVICE_FILL_PATTERNS_H
