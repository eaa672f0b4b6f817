// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_NORMALIZATION_BATCHNORM_TILING_H
#define TWIN_INCLUDE_LIB_NORMALIZATION_BATCHNORM_TILING_H

#include <cstdint>

#include "graph/tensor.h"
#include "lib/normalization/batchnorm_tilingdata.h"
#include "register/plain_tiling.h"

namespace AscendC {

// The tiling of BatchNorm. Returns false if the shape or the scratch does not fit.
bool GetBatchNormMaxMinTmpSize(const ge::Shape& srcShape, const ge::Shape& originSrcShape,
                               uint32_t typeSize, bool isReuseSource, uint32_t& maxValue,
                               uint32_t& minValue, bool isBasicBlock = false);
bool GetBatchNormNDTilingInfo(const ge::Shape& srcShape, const ge::Shape& originSrcShape,
                              uint32_t stackBufferByteSize, uint32_t typeSize, bool isReuseSource,
                              optiling::BatchNormTiling& tilling, bool isBasicBlock = false);

// The same functions for the plain structs of kernels; a kernel's own translation unit has only
// these structs.
#ifndef TWIN_KERNEL_NAME
inline bool GetBatchNormNDTilingInfo(const ge::Shape& srcShape, const ge::Shape& originSrcShape,
                                     uint32_t stackBufferByteSize, uint32_t typeSize,
                                     bool isReuseSource, ::BatchNormTiling& tilling,
                                     bool isBasicBlock = false) {
    return twin::FillPlain<optiling::BatchNormTiling>(
        tilling, [&](optiling::BatchNormTiling& host) {
            return GetBatchNormNDTilingInfo(srcShape, originSrcShape, stackBufferByteSize, typeSize,
                                            isReuseSource, host, isBasicBlock);
        });
}
#endif

}  // namespace AscendC

#endif  // TWIN_INCLUDE_LIB_NORMALIZATION_BATCHNORM_TILING_H
