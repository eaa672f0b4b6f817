// SPDX-License-Identifier: Apache-2.0
#ifndef LIB_ACTIVATION_SILU_TILING_H
#define LIB_ACTIVATION_SILU_TILING_H

#include "tiling/activation/silu_tiling.h"

#endif  // LIB_ACTIVATION_SILU_TILING_H
