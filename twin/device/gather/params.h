// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_GATHER_PARAMS_H
#define TWIN_DEVICE_GATHER_PARAMS_H

#include <cstdint>

#include "device/types/enums.h"

namespace AscendC {

/// Strides of Gatherb's destination in blocks of 32 B; the other members have no effect.
struct GatherRepeatParams {
    GatherRepeatParams() = default;
    GatherRepeatParams(const uint8_t dstBlk, const uint8_t dstRep)
        : dstRepStride(dstRep), dstBlkStride(dstBlk) {}

    uint32_t blockNumber = DEFAULT_BLK_NUM;
    uint16_t dstRepStride = DEFAULT_REPEAT_STRIDE;
    uint8_t dstBlkStride = DEFAULT_BLK_STRIDE;
    uint8_t src0BlkStride = DEFAULT_BLK_STRIDE;
    uint8_t src1BlkStride = DEFAULT_BLK_STRIDE;
    uint8_t src0RepStride = DEFAULT_REPEAT_STRIDE;
    uint8_t src1RepStride = DEFAULT_REPEAT_STRIDE;
    bool repeatStrideMode = false;
    bool strideSizeMode = false;
};

enum class GatherMaskMode : uint8_t { VERSION_V1 = 0, VERSION_V2 = 1 };
const GatherMaskMode defaultGahterMaskMode =
    GatherMaskMode::VERSION_V2;  // the toolkit has this spelling
const GatherMaskMode defaultGatherMaskMode = GatherMaskMode::VERSION_V2;

/// Repeats and strides of GatherMask, in blocks of 32 B.
struct GatherMaskParams {
    GatherMaskParams() = default;
    GatherMaskParams(const uint8_t src0Block, const uint16_t repeats, const uint16_t src0Repeat,
                     const uint8_t src1Repeat)
        : src0BlockStride(src0Block),
          repeatTimes(repeats),
          src0RepeatStride(src0Repeat),
          src1RepeatStride(src1Repeat) {}

    uint8_t src0BlockStride = DEFAULT_BLK_STRIDE;
    uint16_t repeatTimes = 0;
    uint16_t src0RepeatStride = DEFAULT_REPEAT_STRIDE;
    uint8_t src1RepeatStride = DEFAULT_REPEAT_STRIDE;
};

}  // namespace AscendC

#endif  // TWIN_DEVICE_GATHER_PARAMS_H
