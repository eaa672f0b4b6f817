// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_MATH_COSH_H
#define TWIN_DEVICE_MATH_COSH_H

#include "device/library/elementwise.h"

namespace AscendC {

/// Hyperbolic cosine.
TWIN_ADVANCED_UNARY(Cosh, Cosh, half, float)

}  // namespace AscendC

#endif  // TWIN_DEVICE_MATH_COSH_H
