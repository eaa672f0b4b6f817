// SPDX-License-Identifier: Apache-2.0
#ifndef LIB_MATH_ASINH_TILING_H
#define LIB_MATH_ASINH_TILING_H

#include "tiling/math/asinh_tiling.h"

#endif  // LIB_MATH_ASINH_TILING_H
