// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_NORMALIZATION_RMSNORM_TILING_H
#define TWIN_INCLUDE_LIB_NORMALIZATION_RMSNORM_TILING_H

#include <cstdint>

#include "graph/tensor.h"
#include "lib/normalization/rmsnorm_tilingdata.h"

namespace AscendC {

// The tiling of RmsNorm. False: the shape or the scratch does not fit.
bool GetRmsNormMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize, uint32_t& maxValue,
                             uint32_t& minValue, bool isBasicBlock = false);
bool GetRmsNormTilingInfo(const ge::Shape& srcShape, const ge::Shape& originSrcShape,
                          uint32_t stackBufferByteSize, uint32_t typeSize,
                          optiling::RmsNormTiling& tiling, bool isBasicBlock = false);

}  // namespace AscendC

#endif  // TWIN_INCLUDE_LIB_NORMALIZATION_RMSNORM_TILING_H
