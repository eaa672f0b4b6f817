// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_TRANSPOSE_CONFUSION_TRANSPOSE_TILING_INTF_H
#define TWIN_INCLUDE_LIB_TRANSPOSE_CONFUSION_TRANSPOSE_TILING_INTF_H

// The older name of confusion_transpose_tiling.h.
#include "lib/transpose/confusion_transpose_tiling.h"

#endif  // TWIN_INCLUDE_LIB_TRANSPOSE_CONFUSION_TRANSPOSE_TILING_INTF_H
