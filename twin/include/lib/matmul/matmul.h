// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/user_macros_checked.h"
#include "device/matmul/matmul_impl.h"
#include "kernel_operator.h"
#include "kernel_tiling/cube_tiling.h"

// clang-format off: not sorted
#include "core/user_macros_back.h"
