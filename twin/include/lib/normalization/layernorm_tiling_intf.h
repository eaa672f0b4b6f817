// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_NORMALIZATION_LAYERNORM_TILING_INTF_H
#define TWIN_INCLUDE_LIB_NORMALIZATION_LAYERNORM_TILING_INTF_H

// The older name of layernorm_tiling.h.
#include "lib/normalization/layernorm_tiling.h"

#endif  // TWIN_INCLUDE_LIB_NORMALIZATION_LAYERNORM_TILING_INTF_H
