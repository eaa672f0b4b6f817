// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_MATH_ACOSH_H
#define TWIN_DEVICE_MATH_ACOSH_H

#include "device/library/elementwise.h"

namespace AscendC {

/// Inverse hyperbolic cosine; NaN below 1.
TWIN_ADVANCED_UNARY(Acosh, Acosh, half, float)

}  // namespace AscendC

#endif  // TWIN_DEVICE_MATH_ACOSH_H
