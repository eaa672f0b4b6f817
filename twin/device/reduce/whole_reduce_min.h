// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_REDUCE_WHOLE_REDUCE_MIN_H
#define TWIN_DEVICE_REDUCE_WHOLE_REDUCE_MIN_H

#include "device/reduce/shapes.h"

namespace AscendC {

// Smallest element of each repeat and its place in the repeat, in the requested order. The index is
// stored as bits in T, with ORDER_ONLY_INDEX as uint32_t. dstRepStride counts results.
TWIN_REDUCE_WHOLE(WholeReduceMin, Min)

}  // namespace AscendC

#endif  // TWIN_DEVICE_REDUCE_WHOLE_REDUCE_MIN_H
