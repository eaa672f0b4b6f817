// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_NORMALIZATION_NORMALIZE_TILING_H
#define TWIN_INCLUDE_LIB_NORMALIZATION_NORMALIZE_TILING_H

#include <cstdint>

#include "graph/tensor.h"

namespace AscendC {

// Returns the scratch of Normalize in bytes.
void GetNormalizeMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSizeU, uint32_t typeSizeT,
                               bool isReuseSource, bool isComputeRstd, bool isOnlyOutput,
                               uint32_t& maxValue, uint32_t& minValue);

}  // namespace AscendC

#endif  // TWIN_INCLUDE_LIB_NORMALIZATION_NORMALIZE_TILING_H
