// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_REPEAT_PARAMS_H
#define TWIN_DEVICE_VEC_REPEAT_PARAMS_H

#include <cstdint>

#include "device/types/enums.h"
#include "device/types/narrow.h"

namespace AscendC {

/// Strides of an instruction with one source, in blocks of 32 B: between the blocks of a repeat,
/// and between repeats.
struct UnaryRepeatParams {
    UnaryRepeatParams() = default;
    UnaryRepeatParams(const uint16_t dstBlk, const uint16_t srcBlk, const twin::Narrow8 dstRep,
                      const twin::Narrow8 srcRep, const bool half = false)
        : dstBlkStride(dstBlk),
          srcBlkStride(srcBlk),
          dstRepStride(dstRep),
          srcRepStride(srcRep),
          halfBlock(half) {}

    uint32_t blockNumber = DEFAULT_BLK_NUM;
    uint16_t dstBlkStride = DEFAULT_BLK_STRIDE;
    uint16_t srcBlkStride = DEFAULT_BLK_STRIDE;
    uint8_t dstRepStride = DEFAULT_REPEAT_STRIDE;
    uint8_t srcRepStride = DEFAULT_REPEAT_STRIDE;
    bool repeatStrideMode = false;
    bool strideSizeMode = false;
    bool halfBlock = false;
};

/// Strides of an instruction with two sources. All of them have 8 bits.
struct BinaryRepeatParams {
    BinaryRepeatParams() = default;
    BinaryRepeatParams(const twin::Narrow8 dstBlk, const twin::Narrow8 src0Blk,
                       const twin::Narrow8 src1Blk, const twin::Narrow8 dstRep,
                       const twin::Narrow8 src0Rep, const twin::Narrow8 src1Rep)
        : dstBlkStride(dstBlk),
          src0BlkStride(src0Blk),
          src1BlkStride(src1Blk),
          dstRepStride(dstRep),
          src0RepStride(src0Rep),
          src1RepStride(src1Rep) {}

    uint32_t blockNumber = DEFAULT_BLK_NUM;
    uint8_t dstBlkStride = DEFAULT_BLK_STRIDE;
    uint8_t src0BlkStride = DEFAULT_BLK_STRIDE;
    uint8_t src1BlkStride = DEFAULT_BLK_STRIDE;
    uint8_t dstRepStride = DEFAULT_REPEAT_STRIDE;
    uint8_t src0RepStride = DEFAULT_REPEAT_STRIDE;
    uint8_t src1RepStride = DEFAULT_REPEAT_STRIDE;
    bool repeatStrideMode = false;
    bool strideSizeMode = false;
};

}  // namespace AscendC

#endif  // TWIN_DEVICE_VEC_REPEAT_PARAMS_H
