// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_NORMALIZATION_RMSNORM_TILING_H
#define TWIN_INCLUDE_LIB_NORMALIZATION_RMSNORM_TILING_H

#include <cstdint>

#include "graph/tensor.h"
#include "lib/normalization/rmsnorm_tilingdata.h"
#include "register/plain_tiling.h"

namespace AscendC {

// The tiling of RmsNorm. Returns false if the shape or the scratch does not fit.
bool GetRmsNormMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize, uint32_t& maxValue,
                             uint32_t& minValue, bool isBasicBlock = false);
bool GetRmsNormTilingInfo(const ge::Shape& srcShape, const ge::Shape& originSrcShape,
                          uint32_t stackBufferByteSize, uint32_t typeSize,
                          optiling::RmsNormTiling& tiling, bool isBasicBlock = false);

// The same functions for the plain structs of kernels; a kernel's own translation unit has only
// these structs.
#ifndef TWIN_KERNEL_NAME
inline bool GetRmsNormTilingInfo(const ge::Shape& srcShape, const ge::Shape& originSrcShape,
                                 uint32_t stackBufferByteSize, uint32_t typeSize,
                                 ::RmsNormTiling& tiling, bool isBasicBlock = false) {
    return twin::FillPlain<optiling::RmsNormTiling>(tiling, [&](optiling::RmsNormTiling& host) {
        return GetRmsNormTilingInfo(srcShape, originSrcShape, stackBufferByteSize, typeSize, host,
                                    isBasicBlock);
    });
}
#endif

}  // namespace AscendC

#endif  // TWIN_INCLUDE_LIB_NORMALIZATION_RMSNORM_TILING_H
