// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_NORMALIZATION_LAYERNORM_TILING_H
#define TWIN_INCLUDE_LIB_NORMALIZATION_LAYERNORM_TILING_H

#include <cstdint>

#include "graph/tensor.h"
#include "lib/normalization/layernorm_tilingdata.h"
#include "register/plain_tiling.h"

namespace AscendC {

// The tilings of both forms of LayerNorm, and the scratch of WelfordUpdate.
void GetLayerNormMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize, bool isReuseSource,
                               uint32_t& maxValue, uint32_t& minValue);
void GetLayerNormNDTillingInfo(const ge::Shape& srcShape, uint32_t stackBufferSize,
                               uint32_t typeSize, bool isReuseSource,
                               optiling::LayerNormTiling& tilling);
void GetLayerNormNDTilingInfo(const ge::Shape& srcShape, uint32_t stackBufferSize,
                              uint32_t typeSize, bool isReuseSource,
                              optiling::LayerNormTiling& tiling);
void GetWelfordUpdateMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSizeT,
                                   uint32_t typeSizeU, bool isReuseSource, bool isInplace,
                                   uint32_t& maxValue, uint32_t& minValue);
void GetLayerNormMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize, bool isReuseSource,
                               bool isComputeRstd, bool isOnlyOutput, uint32_t& maxValue,
                               uint32_t& minValue);
void GetLayerNormNDTilingInfo(const ge::Shape& srcShape, uint32_t stackBufferSize,
                              uint32_t typeSize, bool isReuseSource, bool isComputeRstd,
                              optiling::LayerNormSeparateTiling& tiling);

// The same functions for the plain structs of kernels; a kernel's own translation unit has only
// these structs.
#ifndef TWIN_KERNEL_NAME
inline void GetLayerNormNDTillingInfo(const ge::Shape& srcShape, uint32_t stackBufferSize,
                                      uint32_t typeSize, bool isReuseSource,
                                      ::LayerNormTiling& tilling) {
    twin::FillPlain<optiling::LayerNormTiling>(tilling, [&](optiling::LayerNormTiling& host) {
        GetLayerNormNDTillingInfo(srcShape, stackBufferSize, typeSize, isReuseSource, host);
        return true;
    });
}
inline void GetLayerNormNDTilingInfo(const ge::Shape& srcShape, uint32_t stackBufferSize,
                                     uint32_t typeSize, bool isReuseSource,
                                     ::LayerNormTiling& tiling) {
    twin::FillPlain<optiling::LayerNormTiling>(tiling, [&](optiling::LayerNormTiling& host) {
        GetLayerNormNDTilingInfo(srcShape, stackBufferSize, typeSize, isReuseSource, host);
        return true;
    });
}
inline void GetLayerNormNDTilingInfo(const ge::Shape& srcShape, uint32_t stackBufferSize,
                                     uint32_t typeSize, bool isReuseSource, bool isComputeRstd,
                                     ::LayerNormSeparateTiling& tiling) {
    twin::FillPlain<optiling::LayerNormSeparateTiling>(
        tiling, [&](optiling::LayerNormSeparateTiling& host) {
            GetLayerNormNDTilingInfo(srcShape, stackBufferSize, typeSize, isReuseSource,
                                     isComputeRstd, host);
            return true;
        });
}
#endif

}  // namespace AscendC

#endif  // TWIN_INCLUDE_LIB_NORMALIZATION_LAYERNORM_TILING_H
