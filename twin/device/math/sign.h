// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_MATH_SIGN_H
#define TWIN_DEVICE_MATH_SIGN_H

#include "device/library/elementwise.h"

namespace AscendC {

/// -1, 0 or 1; 0 for NaN.
TWIN_ADVANCED_UNARY(Sign, Sign, half, float)

}  // namespace AscendC

#endif  // TWIN_DEVICE_MATH_SIGN_H
