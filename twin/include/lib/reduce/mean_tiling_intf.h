// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_REDUCE_MEAN_TILING_INTF_H
#define TWIN_INCLUDE_LIB_REDUCE_MEAN_TILING_INTF_H

// The older name of mean_tiling.h.
#include "lib/reduce/mean_tiling.h"

#endif  // TWIN_INCLUDE_LIB_REDUCE_MEAN_TILING_INTF_H
