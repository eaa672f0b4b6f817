// SPDX-License-Identifier: Apache-2.0
#ifndef TILING_QUANTIZATION_ASCEND_QUANT_TILING_H
#define TILING_QUANTIZATION_ASCEND_QUANT_TILING_H

#include <cstdint>

#include "graph/tensor.h"

namespace AscendC {

/// Finds the minimum and the most useful bytes of scratch for a source with elements of `typeSize`
/// bytes.
void GetAscendQuantMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize,
                                 uint32_t& maxValue, uint32_t& minValue);

}  // namespace AscendC

#endif  // TILING_QUANTIZATION_ASCEND_QUANT_TILING_H
