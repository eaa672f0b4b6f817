// SPDX-License-Identifier: Apache-2.0
#ifndef LIB_MATMUL_CONSTANT_TILING_H
#define LIB_MATMUL_CONSTANT_TILING_H

#include "device/matmul/static_tiling.h"

#endif  // LIB_MATMUL_CONSTANT_TILING_H
