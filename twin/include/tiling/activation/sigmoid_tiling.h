// SPDX-License-Identifier: Apache-2.0
#ifndef TILING_ACTIVATION_SIGMOID_TILING_H
#define TILING_ACTIVATION_SIGMOID_TILING_H

#include <cstdint>

#include "graph/tensor.h"

namespace AscendC {

/// Finds the minimum and the most useful bytes of scratch for a source of `srcShape` with elements
/// of `typeSize` bytes.
void GetSigmoidMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize,
                             const bool isReuseSource, uint32_t& maxValue, uint32_t& minValue);

}  // namespace AscendC

#endif  // TILING_ACTIVATION_SIGMOID_TILING_H
