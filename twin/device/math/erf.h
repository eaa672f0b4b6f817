// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_MATH_ERF_H
#define TWIN_DEVICE_MATH_ERF_H

#include "device/library/elementwise.h"

namespace AscendC {

/// Error function.
TWIN_ADVANCED_UNARY(Erf, Erf, half, float)

}  // namespace AscendC

#endif  // TWIN_DEVICE_MATH_ERF_H
