// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_MATH_ASIN_H
#define TWIN_DEVICE_MATH_ASIN_H

#include "device/library/elementwise.h"

namespace AscendC {

/// Arc sine; NaN outside [-1, 1].
TWIN_ADVANCED_UNARY(Asin, Asin, half, float)

}  // namespace AscendC

#endif  // TWIN_DEVICE_MATH_ASIN_H
