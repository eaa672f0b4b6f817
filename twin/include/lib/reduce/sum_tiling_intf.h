// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_REDUCE_SUM_TILING_INTF_H
#define TWIN_INCLUDE_LIB_REDUCE_SUM_TILING_INTF_H

// The older name of sum_tiling.h.
#include "lib/reduce/sum_tiling.h"

#endif  // TWIN_INCLUDE_LIB_REDUCE_SUM_TILING_INTF_H
