// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_MATH_TRUNC_H
#define TWIN_DEVICE_MATH_TRUNC_H

#include "device/library/elementwise.h"

namespace AscendC {

/// Rounds to an integer towards zero.
TWIN_ADVANCED_UNARY(Trunc, Trunc, half, float)

}  // namespace AscendC

#endif  // TWIN_DEVICE_MATH_TRUNC_H
