// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_MATH_ATAN_H
#define TWIN_DEVICE_MATH_ATAN_H

#include "device/library/elementwise.h"

namespace AscendC {

/// Arc tangent.
TWIN_ADVANCED_UNARY(Atan, Atan, half, float)

}  // namespace AscendC

#endif  // TWIN_DEVICE_MATH_ATAN_H
