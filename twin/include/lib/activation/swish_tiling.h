// SPDX-License-Identifier: Apache-2.0
#ifndef LIB_ACTIVATION_SWISH_TILING_H
#define LIB_ACTIVATION_SWISH_TILING_H

#include "tiling/activation/swish_tiling.h"

#endif  // LIB_ACTIVATION_SWISH_TILING_H
