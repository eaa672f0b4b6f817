// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_MATH_ROUND_H
#define TWIN_DEVICE_MATH_ROUND_H

#include "device/library/elementwise.h"

namespace AscendC {

/// Rounds to the nearest integer, ties to even.
TWIN_ADVANCED_UNARY_COUNTED(Round, Round, const, half, float)

}  // namespace AscendC

#endif  // TWIN_DEVICE_MATH_ROUND_H
