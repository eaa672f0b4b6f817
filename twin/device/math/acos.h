// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_MATH_ACOS_H
#define TWIN_DEVICE_MATH_ACOS_H

#include "device/library/elementwise.h"

namespace AscendC {

/// Arc cosine; NaN outside [-1, 1].
TWIN_ADVANCED_UNARY(Acos, Acos, half, float)

}  // namespace AscendC

#endif  // TWIN_DEVICE_MATH_ACOS_H
