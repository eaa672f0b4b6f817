// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_TRANSPOSE_CONFUSION_TRANSPOSE_TILING_H
#define TWIN_INCLUDE_LIB_TRANSPOSE_CONFUSION_TRANSPOSE_TILING_H

#include <cstdint>

#include "graph/tensor.h"
#include "lib/transpose/confusion_transpose_tilingdata.h"

namespace AscendC {

// The tiling of ConfusionTranspose.
void GetConfusionTransposeMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize,
                                        uint32_t transposeTypeIn, uint32_t& maxValue,
                                        uint32_t& minValue);
void GetConfusionTransposeTilingInfo(const ge::Shape& srcShape, uint32_t stackBufferSize,
                                     uint32_t typeSize, uint32_t transposeTypeIn,
                                     optiling::ConfusionTransposeTiling& tiling);
void GetConfusionTransposeOnlyTilingInfo(const ge::Shape& srcShape, uint32_t stackBufferSize,
                                         uint32_t typeSize,
                                         optiling::ConfusionTransposeTiling& tiling);

}  // namespace AscendC

#endif  // TWIN_INCLUDE_LIB_TRANSPOSE_CONFUSION_TRANSPOSE_TILING_H
