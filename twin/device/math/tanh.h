// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_MATH_TANH_H
#define TWIN_DEVICE_MATH_TANH_H

#include "device/library/elementwise.h"

namespace AscendC {

/// Hyperbolic tangent.
TWIN_ADVANCED_UNARY(Tanh, Tanh, half, float)

}  // namespace AscendC

#endif  // TWIN_DEVICE_MATH_TANH_H
