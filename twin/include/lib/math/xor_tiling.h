// SPDX-License-Identifier: Apache-2.0
#ifndef LIB_MATH_XOR_TILING_H
#define LIB_MATH_XOR_TILING_H

#include "tiling/math/xor_tiling.h"

#endif  // LIB_MATH_XOR_TILING_H
