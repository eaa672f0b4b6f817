// SPDX-License-Identifier: Apache-2.0
#ifndef LIB_MATMUL_MATMUL_TILING_BASE_H
#define LIB_MATMUL_MATMUL_TILING_BASE_H

#include "tiling/matmul/matmul_tiling_base.h"

#endif  // LIB_MATMUL_MATMUL_TILING_BASE_H
