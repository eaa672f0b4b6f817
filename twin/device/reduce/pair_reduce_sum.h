// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_REDUCE_PAIR_REDUCE_SUM_H
#define TWIN_DEVICE_REDUCE_PAIR_REDUCE_SUM_H

#include "device/reduce/shapes.h"

namespace AscendC {

// Sums of neighbours: each repeat has 128 B of results; dstRepStride counts these.
TWIN_REDUCE_GROUPS(PairReduceSum, Sum, Pair)

}  // namespace AscendC

#endif  // TWIN_DEVICE_REDUCE_PAIR_REDUCE_SUM_H
