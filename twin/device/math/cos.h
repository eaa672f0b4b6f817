// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_MATH_COS_H
#define TWIN_DEVICE_MATH_COS_H

#include "device/library/elementwise.h"

namespace AscendC {

/// Cosine of |src| <= 65504; NaN beyond.
TWIN_ADVANCED_UNARY(Cos, Cos, half, float)

}  // namespace AscendC

#endif  // TWIN_DEVICE_MATH_COS_H
