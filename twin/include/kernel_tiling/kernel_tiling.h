// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_KERNEL_TILING_KERNEL_TILING_H
#define TWIN_INCLUDE_KERNEL_TILING_KERNEL_TILING_H

// The plain structs that host tiling of advanced APIs fills for the kernel.
#include "device/pad/pad_tiling.h"
#include "kernel_tiling/advanced_tilings.h"
#include "kernel_tiling/cube_tiling.h"
#ifdef TWIN_KERNEL_NAME  // kernels include it for the tiling macros too
#include "kernel_operator.h"
#endif

#endif  // TWIN_INCLUDE_KERNEL_TILING_KERNEL_TILING_H
