// SPDX-License-Identifier: Apache-2.0
#ifndef LIB_MATMUL_BMM_TILING_H
#define LIB_MATMUL_BMM_TILING_H

#include "tiling/matmul/bmm_tiling.h"

#endif  // LIB_MATMUL_BMM_TILING_H
