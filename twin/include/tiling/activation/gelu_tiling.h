// SPDX-License-Identifier: Apache-2.0
#ifndef TILING_ACTIVATION_GELU_TILING_H
#define TILING_ACTIVATION_GELU_TILING_H

#include <cstdint>

#include "graph/tensor.h"

namespace AscendC {

/// Finds the minimum and the most useful bytes of scratch of Gelu, FasterGelu and FasterGeluV2.
uint32_t GetGeluMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize);
uint32_t GetGeluMaxTmpSize(const ge::Shape& srcShape, const uint32_t typeSize);
void GetGeluMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                          uint32_t& minValue);

}  // namespace AscendC

#endif  // TILING_ACTIVATION_GELU_TILING_H
