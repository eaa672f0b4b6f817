// SPDX-License-Identifier: Apache-2.0
#ifndef TILING_MATH_EXP_TILING_H
#define TILING_MATH_EXP_TILING_H

#include <cstdint>

#include "graph/tensor.h"

namespace AscendC {

/// Finds the minimum and the most useful bytes of scratch for a source of `srcShape` with elements
/// of `typeSize` bytes. Always returns true.
bool GetExpMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize,
                         const bool isReuseSource, uint32_t& maxValue, uint32_t& minValue);
/// The scratch is maxLiveNodeCnt times the bytes of the source, plus extraBuf.
void GetExpTmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCnt,
                               uint32_t& extraBuf);

}  // namespace AscendC

#endif  // TILING_MATH_EXP_TILING_H
