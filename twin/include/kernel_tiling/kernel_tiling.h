// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tiling headers of unit tests use memcpy.
#include <cstring>

// The plain structs that host tiling of advanced APIs fills for the kernel.
#include "kernel_tiling/advanced_tilings.h"
#include "kernel_tiling/cube_tiling.h"
#include "kernel_tiling/mc2_tilings.h"
#ifdef TWIN_KERNEL_NAME  // kernels also include it for the tiling macros
#include "kernel_operator.h"
#endif
