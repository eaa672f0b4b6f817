// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_MATH_TAN_H
#define TWIN_DEVICE_MATH_TAN_H

#include "device/library/elementwise.h"

namespace AscendC {

/// Tangent of |src| <= 65504; NaN beyond.
TWIN_ADVANCED_UNARY(Tan, Tan, half, float)

}  // namespace AscendC

#endif  // TWIN_DEVICE_MATH_TAN_H
