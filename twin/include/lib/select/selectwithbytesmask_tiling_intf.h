// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_SELECT_SELECTWITHBYTESMASK_TILING_INTF_H
#define TWIN_INCLUDE_LIB_SELECT_SELECTWITHBYTESMASK_TILING_INTF_H

// The older name of selectwithbytesmask_tiling.h.
#include "lib/select/selectwithbytesmask_tiling.h"

#endif  // TWIN_INCLUDE_LIB_SELECT_SELECTWITHBYTESMASK_TILING_INTF_H
