// SPDX-License-Identifier: Apache-2.0
#ifndef LIB_MATMUL_MATMUL_INTF_H
#define LIB_MATMUL_MATMUL_INTF_H

#include "kernel_tiling/cube_tiling.h"
// ASCENDC_CUBE_ONLY, defined before this header, makes Matmul run where it is called; without it
// vector cores ask the cube core of their block.
#include "kernel_operator.h"
#ifdef ASCENDC_CUBE_ONLY
#include "device/matmul/cube_only.h"
#else
#include "device/kfc/matmul_client.h"
#endif

#endif  // LIB_MATMUL_MATMUL_INTF_H
