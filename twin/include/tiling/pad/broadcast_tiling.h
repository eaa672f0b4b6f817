// SPDX-License-Identifier: Apache-2.0
#ifndef TILING_PAD_BROADCAST_TILING_H
#define TILING_PAD_BROADCAST_TILING_H

#include <cstdint>

#include "graph/tensor.h"
#include "tiling/platform/platform_ascendc.h"

namespace AscendC {

/// Finds the minimum and the most useful bytes of scratch for a broadcast from `srcShape` to
/// `dstShape`, which have one or two dimensions.
void GetBroadCastMaxMinTmpSize(const platform_ascendc::PlatformAscendC& ascendcPlatform,
                               const ge::Shape& srcShape, const ge::Shape& dstShape,
                               uint32_t typeSize, const bool isReuseSource, uint32_t& maxValue,
                               uint32_t& minValue);

}  // namespace AscendC

#endif  // TILING_PAD_BROADCAST_TILING_H
