// SPDX-License-Identifier: Apache-2.0
#ifndef LIB_ACTIVATION_GELU_TILING_H
#define LIB_ACTIVATION_GELU_TILING_H

#include "tiling/activation/gelu_tiling.h"

#endif  // LIB_ACTIVATION_GELU_TILING_H
