// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_MATH_CEIL_H
#define TWIN_DEVICE_MATH_CEIL_H

#include "device/library/elementwise.h"

namespace AscendC {

/// Rounds to an integer towards infinity.
TWIN_ADVANCED_UNARY_COUNTED(Ceil, Ceil, const, half, float)

}  // namespace AscendC

#endif  // TWIN_DEVICE_MATH_CEIL_H
