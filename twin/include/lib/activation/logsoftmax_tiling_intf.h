// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_ACTIVATION_LOGSOFTMAX_TILING_INTF_H
#define TWIN_INCLUDE_LIB_ACTIVATION_LOGSOFTMAX_TILING_INTF_H

// The older name of logsoftmax_tiling.h.
#include "lib/activation/logsoftmax_tiling.h"

#endif  // TWIN_INCLUDE_LIB_ACTIVATION_LOGSOFTMAX_TILING_INTF_H
