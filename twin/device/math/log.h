// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_MATH_LOG_H
#define TWIN_DEVICE_MATH_LOG_H

#include "device/library/elementwise.h"

namespace AscendC {

/// Natural logarithm.
TWIN_ADVANCED_UNARY_STACK(Log, Log, const, half, float)
TWIN_ADVANCED_UNARY_WHOLE(Log)
/// Logarithm times 1 / ln(2), in float.
TWIN_ADVANCED_UNARY(Log2, Log2, half, float)
/// Logarithm times 1 / ln(10), both rounded to the type.
TWIN_ADVANCED_UNARY_STACK(Log10, Log10, const, half, float)
TWIN_ADVANCED_UNARY_WHOLE(Log10)

}  // namespace AscendC

#endif  // TWIN_DEVICE_MATH_LOG_H
