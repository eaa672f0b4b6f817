// SPDX-License-Identifier: Apache-2.0
#ifndef TILING_MATH_POWER_TILING_H
#define TILING_MATH_POWER_TILING_H

#include <cstdint>

#include "graph/tensor.h"

namespace AscendC {

/// Finds the minimum and the most useful bytes of scratch; a shape {1} stands for a number.
void GetPowerMaxMinTmpSize(const ge::Shape& srcShape1, const ge::Shape& srcShape2,
                           const bool typeIsInt, const uint32_t typeSize, const bool isReuseSource,
                           uint32_t& maxValue, uint32_t& minValue);
/// The scratch is maxLiveNodeCount times the bytes of the source, plus extraBuffer.
void GetPowerTmpBufferFactorSize(const bool baseIsTensor, const bool expIsTensor,
                                 const bool typeIsInt, const uint32_t typeSize,
                                 uint32_t& maxLiveNodeCount, uint32_t& extraBuffer);

}  // namespace AscendC

#endif  // TILING_MATH_POWER_TILING_H
