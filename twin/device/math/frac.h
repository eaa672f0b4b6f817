// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_MATH_FRAC_H
#define TWIN_DEVICE_MATH_FRAC_H

#include "device/library/elementwise.h"

namespace AscendC {

/// src - trunc(src); NaN for infinities.
TWIN_ADVANCED_UNARY(Frac, Frac, half, float)

}  // namespace AscendC

#endif  // TWIN_DEVICE_MATH_FRAC_H
