// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_SORT_TOPK_TILING_INTF_H
#define TWIN_INCLUDE_LIB_SORT_TOPK_TILING_INTF_H

// The older name of topk_tiling.h.
#include "lib/sort/topk_tiling.h"

#endif  // TWIN_INCLUDE_LIB_SORT_TOPK_TILING_INTF_H
