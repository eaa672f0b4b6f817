// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_MATH_SINH_H
#define TWIN_DEVICE_MATH_SINH_H

#include "device/library/elementwise.h"

namespace AscendC {

/// Hyperbolic sine.
TWIN_ADVANCED_UNARY(Sinh, Sinh, half, float)

}  // namespace AscendC

#endif  // TWIN_DEVICE_MATH_SINH_H
