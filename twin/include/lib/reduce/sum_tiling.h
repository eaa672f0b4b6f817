// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_REDUCE_SUM_TILING_H
#define TWIN_INCLUDE_LIB_REDUCE_SUM_TILING_H

#include <cstdint>

namespace AscendC {

// Returns the scratch of Sum in bytes.
void GetSumMaxMinTmpSize(uint32_t n, uint32_t typeSize, bool isReuseSource, uint32_t& maxSize,
                         uint32_t& minSize);

}  // namespace AscendC

#endif  // TWIN_INCLUDE_LIB_REDUCE_SUM_TILING_H
