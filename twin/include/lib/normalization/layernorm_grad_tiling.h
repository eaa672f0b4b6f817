// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_NORMALIZATION_LAYERNORM_GRAD_TILING_H
#define TWIN_INCLUDE_LIB_NORMALIZATION_LAYERNORM_GRAD_TILING_H

#include <cstdint>

#include "graph/tensor.h"
#include "lib/normalization/layernorm_grad_tilingdata.h"
#include "register/plain_tiling.h"

namespace AscendC {

// The tiling of LayerNormGrad. The last dimension of a shape is the original H.
void GetLayerNormGradMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize, bool isReuseSource,
                                   uint32_t& maxValue, uint32_t& minValue);
void GetLayerNormGradNDTilingInfo(const ge::Shape srcShape, uint32_t stackBufferSize,
                                  uint32_t typeSize, bool isReuseSource,
                                  optiling::LayerNormGradTiling& tiling);

// The same functions for the plain structs of kernels; a kernel's own translation unit has only
// these structs.
#ifndef TWIN_KERNEL_NAME
inline void GetLayerNormGradNDTilingInfo(const ge::Shape srcShape, uint32_t stackBufferSize,
                                         uint32_t typeSize, bool isReuseSource,
                                         ::LayerNormGradTiling& tiling) {
    twin::FillPlain<optiling::LayerNormGradTiling>(
        tiling, [&](optiling::LayerNormGradTiling& host) {
            GetLayerNormGradNDTilingInfo(srcShape, stackBufferSize, typeSize, isReuseSource, host);
            return true;
        });
}
#endif

}  // namespace AscendC

#endif  // TWIN_INCLUDE_LIB_NORMALIZATION_LAYERNORM_GRAD_TILING_H
