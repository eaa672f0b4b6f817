// SPDX-License-Identifier: Apache-2.0
#ifndef TILING_QUANTIZATION_ASCEND_DEQUANT_TILING_H
#define TILING_QUANTIZATION_ASCEND_DEQUANT_TILING_H

#include <cstdint>

#include "graph/tensor.h"

namespace AscendC {

/// Finds the minimum and the most useful bytes of scratch for a source of one or two dimensions;
/// typeSize is 4.
void GetAscendDequantMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize,
                                   uint32_t& maxValue, uint32_t& minValue);

}  // namespace AscendC

#endif  // TILING_QUANTIZATION_ASCEND_DEQUANT_TILING_H
