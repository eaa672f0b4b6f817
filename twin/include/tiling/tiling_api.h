// SPDX-License-Identifier: Apache-2.0
#ifndef TILING_TILING_API_H
#define TILING_TILING_API_H

// A high-level tiling that the twin does not model is not declared, so that using one fails at
// compile time.
#include "tiling/platform/platform_ascendc.h"
#ifdef TWIN_KERNEL_NAME  // a kernel that includes its operator's tiling header
#include "kernel_tiling/kernel_tiling.h"
#else
#include "tiling/matmul/bmm_tiling.h"
#include "tiling/matmul/matmul_tiling.h"
#endif

#endif  // TILING_TILING_API_H
