// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_NORMALIZATION_GROUPNORM_TILING_H
#define TWIN_INCLUDE_LIB_NORMALIZATION_GROUPNORM_TILING_H

#include <cstdint>

#include "graph/tensor.h"
#include "lib/normalization/groupnorm_tilingdata.h"

namespace AscendC {

// The tiling of GroupNorm.
void GetGroupNormMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize, bool isReuseSource,
                               uint32_t groupNum, uint32_t& maxValue, uint32_t& minValue);
void GetGroupNormNDTilingInfo(const ge::Shape& srcShape, uint32_t stackBufferSize,
                              uint32_t typeSize, bool isReuseSource, uint32_t groupNum,
                              optiling::GroupNormTiling& tiling);

}  // namespace AscendC

#endif  // TWIN_INCLUDE_LIB_NORMALIZATION_GROUPNORM_TILING_H
