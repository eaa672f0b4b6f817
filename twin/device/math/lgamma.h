// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_MATH_LGAMMA_H
#define TWIN_DEVICE_MATH_LGAMMA_H

#include "device/library/elementwise.h"

namespace AscendC {

/// Logarithm of |gamma(src)|.
TWIN_ADVANCED_UNARY_COUNTED(Lgamma, Lgamma, const, half, float)

}  // namespace AscendC

#endif  // TWIN_DEVICE_MATH_LGAMMA_H
