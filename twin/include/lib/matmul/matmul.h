// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/matmul/matmul_impl.h"
#include "kernel_operator.h"
#include "kernel_tiling/cube_tiling.h"
