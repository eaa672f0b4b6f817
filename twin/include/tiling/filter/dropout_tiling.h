// SPDX-License-Identifier: Apache-2.0
#ifndef TILING_FILTER_DROPOUT_TILING_H
#define TILING_FILTER_DROPOUT_TILING_H

#include <cstdint>

#include "graph/tensor.h"

namespace AscendC {

/// Finds the minimum and the most useful bytes of scratch for a source of `srcShape`.
uint32_t GetDropOutMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize,
                              const bool isReuseSource);
uint32_t GetDropOutMaxTmpSize(const ge::Shape& srcShape, const uint32_t typeSize,
                              const bool isReuseSource);
void GetDropOutMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize,
                             const bool isReuseSource, uint32_t& maxValue, uint32_t& minValue);

}  // namespace AscendC

#endif  // TILING_FILTER_DROPOUT_TILING_H
