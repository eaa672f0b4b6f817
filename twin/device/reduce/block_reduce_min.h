// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_REDUCE_BLOCK_REDUCE_MIN_H
#define TWIN_DEVICE_REDUCE_BLOCK_REDUCE_MIN_H

#include "device/reduce/shapes.h"

namespace AscendC {

// Smallest element of each block of 32 B: 8 results per repeat, side by side. dstRepStride counts
// groups of 8 results.
TWIN_REDUCE_GROUPS(BlockReduceMin, Min, Block)

}  // namespace AscendC

#endif  // TWIN_DEVICE_REDUCE_BLOCK_REDUCE_MIN_H
