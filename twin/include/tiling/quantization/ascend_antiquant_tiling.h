// SPDX-License-Identifier: Apache-2.0
#ifndef TILING_QUANTIZATION_ASCEND_ANTIQUANT_TILING_H
#define TILING_QUANTIZATION_ASCEND_ANTIQUANT_TILING_H

#include <cstdint>

#include "graph/tensor.h"

namespace AscendC {

/// Finds the minimum and the most useful bytes of scratch; a scale of one element stands for a
/// number.
uint32_t GetAscendAntiQuantMaxTmpSize(const ge::Shape& srcShape, const ge::Shape& scaleShape,
                                      bool isTranspose, ge::DataType inputDataType,
                                      ge::DataType outputDataType);
uint32_t GetAscendAntiQuantMinTmpSize(const ge::Shape& srcShape, const ge::Shape& scaleShape,
                                      bool isTranspose, ge::DataType inputDataType,
                                      ge::DataType outputDataType);
void GetAscendAntiQuantMaxMinTmpSize(const ge::Shape& srcShape, const ge::Shape& scaleShape,
                                     bool isTranspose, ge::DataType inputDataType,
                                     ge::DataType outputDataType, uint32_t& maxValue,
                                     uint32_t& minValue);

}  // namespace AscendC

#endif  // TILING_QUANTIZATION_ASCEND_ANTIQUANT_TILING_H
