// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_REDUCE_REDUCE_MIN_H
#define TWIN_DEVICE_REDUCE_REDUCE_MIN_H

#include "device/reduce/shapes.h"

namespace AscendC {

// Writes the smallest of all elements to dst[0]; with calIndex its index as bits of T to dst[1].
TWIN_REDUCE_ALL(ReduceMin, Min)

}  // namespace AscendC

#endif  // TWIN_DEVICE_REDUCE_REDUCE_MIN_H
