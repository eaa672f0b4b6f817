// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_SQRT_H
#define TWIN_DEVICE_VEC_SQRT_H

#include "device/vec/shapes.h"

namespace AscendC {

// Square root; negative numbers give NaN.
TWIN_VEC_UNARY(Sqrt, half, float)

}  // namespace AscendC

#endif  // TWIN_DEVICE_VEC_SQRT_H
