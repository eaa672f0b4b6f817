// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_REDUCE_BLOCK_REDUCE_SUM_H
#define TWIN_DEVICE_REDUCE_BLOCK_REDUCE_SUM_H

#include "device/reduce/shapes.h"

namespace AscendC {

// Sum of each block of 32 B: 8 results per repeat, side by side. dstRepStride counts groups of 8
// results.
TWIN_REDUCE_GROUPS(BlockReduceSum, Sum, Block)

}  // namespace AscendC

#endif  // TWIN_DEVICE_REDUCE_BLOCK_REDUCE_SUM_H
