// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_REDUCE_MEAN_TILING_H
#define TWIN_INCLUDE_LIB_REDUCE_MEAN_TILING_H

#include <cstdint>

namespace AscendC {

// Returns the scratch of Mean in bytes.
void GetMeanMaxMinTmpSize(uint32_t n, uint32_t srcTypeSize, uint32_t accTypeSize,
                          bool isReuseSource, uint32_t& maxSize, uint32_t& minSize);
void GetMeanTmpBufferFactorSize(uint32_t typeSize, uint32_t& maxLiveNodeCount,
                                uint32_t& extraBuffer);

}  // namespace AscendC

#endif  // TWIN_INCLUDE_LIB_REDUCE_MEAN_TILING_H
