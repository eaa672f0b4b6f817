// SPDX-License-Identifier: Apache-2.0
#ifndef LIB_MATMUL_MATMUL_TILINGDATA_H
#define LIB_MATMUL_MATMUL_TILINGDATA_H

#include "tiling/matmul/matmul_tilingdata.h"

#endif  // LIB_MATMUL_MATMUL_TILINGDATA_H
