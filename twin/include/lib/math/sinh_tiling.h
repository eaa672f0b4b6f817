// SPDX-License-Identifier: Apache-2.0
#ifndef LIB_MATH_SINH_TILING_H
#define LIB_MATH_SINH_TILING_H

#include "tiling/math/sinh_tiling.h"

#endif  // LIB_MATH_SINH_TILING_H
