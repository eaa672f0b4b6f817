// SPDX-License-Identifier: Apache-2.0
#ifndef TILING_MATH_CUMSUM_TILING_H
#define TILING_MATH_CUMSUM_TILING_H

#include <cstdint>

#include "graph/tensor.h"

namespace AscendC {

/// Finds the minimum and the most useful bytes of scratch for rows and columns of `srcShape`.
void GetCumSumMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize,
                            const bool isLastAxis, const bool isReuseSource, uint32_t& maxValue,
                            uint32_t& minValue);

}  // namespace AscendC

#endif  // TILING_MATH_CUMSUM_TILING_H
