// SPDX-License-Identifier: Apache-2.0
#ifndef LIB_MATMUL_MATMUL_H
#define LIB_MATMUL_MATMUL_H

#include "device/matmul/matmul_impl.h"
#include "kernel_operator.h"
#include "kernel_tiling/cube_tiling.h"

#endif  // LIB_MATMUL_MATMUL_H
