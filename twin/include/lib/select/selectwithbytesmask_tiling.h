// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_SELECT_SELECTWITHBYTESMASK_TILING_H
#define TWIN_INCLUDE_LIB_SELECT_SELECTWITHBYTESMASK_TILING_H

#include <cstdint>

#include "graph/tensor.h"

namespace AscendC {

// Returns the scratch of SelectWithBytesMask in bytes.
uint32_t GetSelectWithBytesMaskMinTmpSize(const ge::Shape& src0Shape, const ge::Shape& src1Shape,
                                          uint32_t srcTypeSize, const ge::Shape& maskShape,
                                          uint32_t maskTypeSize, bool isReuseMask);
uint32_t GetSelectWithBytesMaskMaxTmpSize(const ge::Shape& src0Shape, const ge::Shape& src1Shape,
                                          uint32_t srcTypeSize, const ge::Shape& maskShape,
                                          uint32_t maskTypeSize, bool isReuseMask);
void GetSelectWithBytesMaskMaxMinTmpSize(const ge::Shape& src0Shape, const ge::Shape& src1Shape,
                                         uint32_t srcTypeSize, const ge::Shape& maskShape,
                                         uint32_t maskTypeSize, bool isReuseMask,
                                         uint32_t& maxValue, uint32_t& minValue);
/// The newer name of these functions.
inline void GetSelectMaxMinTmpSize(const ge::Shape& src0Shape, const ge::Shape& src1Shape,
                                   uint32_t srcTypeSize, const ge::Shape& maskShape,
                                   uint32_t maskTypeSize, bool isReuseMask, uint32_t& maxValue,
                                   uint32_t& minValue) {
    GetSelectWithBytesMaskMaxMinTmpSize(src0Shape, src1Shape, srcTypeSize, maskShape, maskTypeSize,
                                        isReuseMask, maxValue, minValue);
}

}  // namespace AscendC

#endif  // TWIN_INCLUDE_LIB_SELECT_SELECTWITHBYTESMASK_TILING_H
