// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_REDUCE_WHOLE_REDUCE_MAX_H
#define TWIN_DEVICE_REDUCE_WHOLE_REDUCE_MAX_H

#include "device/reduce/shapes.h"

namespace AscendC {

// Largest element of each repeat and its place in the repeat, in the requested order. The index is
// stored as bits in T, with ORDER_ONLY_INDEX as uint32_t. dstRepStride counts results.
TWIN_REDUCE_WHOLE(WholeReduceMax, Max)

}  // namespace AscendC

#endif  // TWIN_DEVICE_REDUCE_WHOLE_REDUCE_MAX_H
