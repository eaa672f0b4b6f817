// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_NORMALIZATION_GROUPNORM_TILING_H
#define TWIN_INCLUDE_LIB_NORMALIZATION_GROUPNORM_TILING_H

#include <cstdint>

#include "graph/tensor.h"
#include "lib/normalization/groupnorm_tilingdata.h"
#include "register/plain_tiling.h"

namespace AscendC {

// The tiling of GroupNorm.
void GetGroupNormMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize, bool isReuseSource,
                               uint32_t groupNum, uint32_t& maxValue, uint32_t& minValue);
void GetGroupNormNDTilingInfo(const ge::Shape& srcShape, uint32_t stackBufferSize,
                              uint32_t typeSize, bool isReuseSource, uint32_t groupNum,
                              optiling::GroupNormTiling& tiling);

// The same functions for the plain structs of kernels; a kernel's own translation unit has only
// these structs.
#ifndef TWIN_KERNEL_NAME
inline void GetGroupNormNDTilingInfo(const ge::Shape& srcShape, uint32_t stackBufferSize,
                                     uint32_t typeSize, bool isReuseSource, uint32_t groupNum,
                                     ::GroupNormTiling& tiling) {
    twin::FillPlain<optiling::GroupNormTiling>(tiling, [&](optiling::GroupNormTiling& host) {
        GetGroupNormNDTilingInfo(srcShape, stackBufferSize, typeSize, isReuseSource, groupNum,
                                 host);
        return true;
    });
}
#endif

}  // namespace AscendC

#endif  // TWIN_INCLUDE_LIB_NORMALIZATION_GROUPNORM_TILING_H
