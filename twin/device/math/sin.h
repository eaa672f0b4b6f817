// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_MATH_SIN_H
#define TWIN_DEVICE_MATH_SIN_H

#include "device/library/elementwise.h"

namespace AscendC {

/// Sine of |src| <= 65504; NaN beyond.
TWIN_ADVANCED_UNARY(Sin, Sin, half, float)

}  // namespace AscendC

#endif  // TWIN_DEVICE_MATH_SIN_H
