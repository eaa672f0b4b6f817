// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_NORMALIZATION_WELFORDFINALIZE_TILING_INTF_H
#define TWIN_INCLUDE_LIB_NORMALIZATION_WELFORDFINALIZE_TILING_INTF_H

// The older name of welfordfinalize_tiling.h.
#include "lib/normalization/welfordfinalize_tiling.h"

#endif  // TWIN_INCLUDE_LIB_NORMALIZATION_WELFORDFINALIZE_TILING_INTF_H
