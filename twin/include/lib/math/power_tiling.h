// SPDX-License-Identifier: Apache-2.0
#ifndef LIB_MATH_POWER_TILING_H
#define LIB_MATH_POWER_TILING_H

#include "tiling/math/power_tiling.h"

#endif  // LIB_MATH_POWER_TILING_H
