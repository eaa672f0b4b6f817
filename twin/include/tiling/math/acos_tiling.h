// SPDX-License-Identifier: Apache-2.0
#ifndef TILING_MATH_ACOS_TILING_H
#define TILING_MATH_ACOS_TILING_H

#include <cstdint>

#include "graph/tensor.h"

namespace AscendC {

/// Least and most useful bytes of scratch for a source of `srcShape` with elements of `typeSize`
/// bytes.
void GetAcosMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize,
                          const bool isReuseSource, uint32_t& maxValue, uint32_t& minValue);
/// Scratch is maxLiveNodeCnt times the source's bytes, plus extraBuf.
void GetAcosTmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCnt,
                                uint32_t& extraBuf);

}  // namespace AscendC

#endif  // TILING_MATH_ACOS_TILING_H
