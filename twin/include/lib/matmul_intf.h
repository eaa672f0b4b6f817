// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/user_macros_checked.h"
#include "kernel_tiling/cube_tiling.h"
// If ASCENDC_CUBE_ONLY is defined before this header, Matmul runs on the core that calls it.
// Otherwise vector cores send requests to the cube core of their block.
#include "kernel_operator.h"
#ifdef ASCENDC_CUBE_ONLY
#include "device/matmul/cube_only.h"
#else
#include "device/kfc/matmul_client.h"
#endif

#include "core/user_macros_back.h"
