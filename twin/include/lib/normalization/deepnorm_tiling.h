// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_NORMALIZATION_DEEPNORM_TILING_H
#define TWIN_INCLUDE_LIB_NORMALIZATION_DEEPNORM_TILING_H

#include <cstdint>

#include "graph/tensor.h"
#include "lib/normalization/deepnorm_tilingdata.h"
#include "register/plain_tiling.h"

namespace AscendC {

// The tiling of DeepNorm. Returns false if the shape or the scratch does not fit.
bool GetDeepNormMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize, bool isReuseSource,
                              bool isBasicBlock, uint32_t& maxValue, uint32_t& minValue);
bool GetDeepNormTilingInfo(const ge::Shape& srcShape, const ge::Shape& originSrcShape,
                           uint32_t stackBufferSize, uint32_t typeSize, bool isReuseSource,
                           bool isBasicBlock, optiling::DeepNormTiling& tiling);

// The same functions for the plain structs of kernels; a kernel's own translation unit has only
// these structs.
#ifndef TWIN_KERNEL_NAME
inline bool GetDeepNormTilingInfo(const ge::Shape& srcShape, const ge::Shape& originSrcShape,
                                  uint32_t stackBufferSize, uint32_t typeSize, bool isReuseSource,
                                  bool isBasicBlock, ::DeepNormTiling& tiling) {
    return twin::FillPlain<optiling::DeepNormTiling>(tiling, [&](optiling::DeepNormTiling& host) {
        return GetDeepNormTilingInfo(srcShape, originSrcShape, stackBufferSize, typeSize,
                                     isReuseSource, isBasicBlock, host);
    });
}
#endif

}  // namespace AscendC

#endif  // TWIN_INCLUDE_LIB_NORMALIZATION_DEEPNORM_TILING_H
