// SPDX-License-Identifier: Apache-2.0
#ifndef LIB_MATH_TANH_TILING_H
#define LIB_MATH_TANH_TILING_H

#include "tiling/math/tanh_tiling.h"

#endif  // LIB_MATH_TANH_TILING_H
