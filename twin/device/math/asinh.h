// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_MATH_ASINH_H
#define TWIN_DEVICE_MATH_ASINH_H

#include "device/library/elementwise.h"

namespace AscendC {

/// Inverse hyperbolic sine.
TWIN_ADVANCED_UNARY(Asinh, Asinh, half, float)

}  // namespace AscendC

#endif  // TWIN_DEVICE_MATH_ASINH_H
