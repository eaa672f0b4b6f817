// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_MATH_ATANH_H
#define TWIN_DEVICE_MATH_ATANH_H

#include "device/library/elementwise.h"

namespace AscendC {

/// Inverse hyperbolic tangent; infinite at -1 and 1, NaN outside.
TWIN_ADVANCED_UNARY(Atanh, Atanh, half, float)

}  // namespace AscendC

#endif  // TWIN_DEVICE_MATH_ATANH_H
