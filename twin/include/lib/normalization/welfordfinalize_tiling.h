// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_NORMALIZATION_WELFORDFINALIZE_TILING_H
#define TWIN_INCLUDE_LIB_NORMALIZATION_WELFORDFINALIZE_TILING_H

#include <cstdint>

#include "graph/tensor.h"

namespace AscendC {

// Returns the scratch of WelfordFinalize in bytes.
void GetWelfordFinalizeMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize,
                                     bool isReuseSource, uint32_t& maxValue, uint32_t& minValue);

}  // namespace AscendC

#endif  // TWIN_INCLUDE_LIB_NORMALIZATION_WELFORDFINALIZE_TILING_H
