// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_REDUCE_REDUCE_MAX_H
#define TWIN_DEVICE_REDUCE_REDUCE_MAX_H

#include "device/reduce/shapes.h"

namespace AscendC {

// Writes the largest of all elements to dst[0]; with calIndex its index as bits of T to dst[1].
TWIN_REDUCE_ALL(ReduceMax, Max)

}  // namespace AscendC

#endif  // TWIN_DEVICE_REDUCE_REDUCE_MAX_H
