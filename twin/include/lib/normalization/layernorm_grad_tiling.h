// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_NORMALIZATION_LAYERNORM_GRAD_TILING_H
#define TWIN_INCLUDE_LIB_NORMALIZATION_LAYERNORM_GRAD_TILING_H

#include <cstdint>

#include "graph/tensor.h"
#include "lib/normalization/layernorm_grad_tilingdata.h"

namespace AscendC {

// The tiling of LayerNormGrad; shapes end with the original H.
void GetLayerNormGradMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize, bool isReuseSource,
                                   uint32_t& maxValue, uint32_t& minValue);
void GetLayerNormGradNDTilingInfo(const ge::Shape srcShape, uint32_t stackBufferSize,
                                  uint32_t typeSize, bool isReuseSource,
                                  optiling::LayerNormGradTiling& tiling);

}  // namespace AscendC

#endif  // TWIN_INCLUDE_LIB_NORMALIZATION_LAYERNORM_GRAD_TILING_H
