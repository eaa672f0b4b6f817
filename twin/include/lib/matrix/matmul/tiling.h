// SPDX-License-Identifier: Apache-2.0
#ifndef LIB_MATRIX_MATMUL_TILING_H
#define LIB_MATRIX_MATMUL_TILING_H

#include "lib/matmul/tiling.h"

#endif  // LIB_MATRIX_MATMUL_TILING_H
