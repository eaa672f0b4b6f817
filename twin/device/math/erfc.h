// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_MATH_ERFC_H
#define TWIN_DEVICE_MATH_ERFC_H

#include "device/library/elementwise.h"

namespace AscendC {

/// 1 - erf(src), accurate even if the difference would cancel.
TWIN_ADVANCED_UNARY(Erfc, Erfc, half, float)

}  // namespace AscendC

#endif  // TWIN_DEVICE_MATH_ERFC_H
