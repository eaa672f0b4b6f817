// SPDX-License-Identifier: Apache-2.0
#ifndef LIB_MATH_CUMSUM_TILING_H
#define LIB_MATH_CUMSUM_TILING_H

#include "tiling/math/cumsum_tiling.h"

#endif  // LIB_MATH_CUMSUM_TILING_H
