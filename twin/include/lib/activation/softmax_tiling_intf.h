// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_ACTIVATION_SOFTMAX_TILING_INTF_H
#define TWIN_INCLUDE_LIB_ACTIVATION_SOFTMAX_TILING_INTF_H

// The older name of softmax_tiling.h.
#include "lib/activation/softmax_tiling.h"

#endif  // TWIN_INCLUDE_LIB_ACTIVATION_SOFTMAX_TILING_INTF_H
