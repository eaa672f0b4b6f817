// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tiling headers of unit tests use memcpy without including <cstring>.
#include <cstring>

// Plain structs that host tiling of the advanced API fills for the kernel.
#include "kernel_tiling/advanced_tilings.h"
#include "kernel_tiling/cube_tiling.h"
#include "kernel_tiling/mc2_tilings.h"
#ifdef TWIN_KERNEL_NAME  // kernels include this header for the tiling macros, too
#include "kernel_operator.h"
#endif
