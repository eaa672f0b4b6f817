// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_MINS_H
#define TWIN_DEVICE_VEC_MINS_H

#include "device/vec/shapes.h"

namespace AscendC {

// The smaller of element and scalar.
TWIN_VEC_SCALAR(Mins, half, float, int16_t, int32_t)

}  // namespace AscendC

#endif  // TWIN_DEVICE_VEC_MINS_H
