// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_MATH_DIGAMMA_H
#define TWIN_DEVICE_MATH_DIGAMMA_H

#include "device/library/elementwise.h"

namespace AscendC {

/// Derivative of log(gamma(src)). The library takes destination and scratch by reference.
TWIN_ADVANCED_UNARY_COUNTED(Digamma, Digamma, , half, float)

}  // namespace AscendC

#endif  // TWIN_DEVICE_MATH_DIGAMMA_H
