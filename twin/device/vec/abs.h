// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_ABS_H
#define TWIN_DEVICE_VEC_ABS_H

#include "device/vec/shapes.h"

namespace AscendC {

// Absolute value.
TWIN_VEC_UNARY(Abs, half, float)

}  // namespace AscendC

#endif  // TWIN_DEVICE_VEC_ABS_H
