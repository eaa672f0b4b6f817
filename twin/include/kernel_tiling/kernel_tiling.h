// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_KERNEL_TILING_KERNEL_TILING_H
#define TWIN_INCLUDE_KERNEL_TILING_KERNEL_TILING_H

// The toolkit's tiling structs of advanced APIs would be here; kernels include it for the tiling
// macros too.
#include "kernel_operator.h"

#endif  // TWIN_INCLUDE_KERNEL_TILING_KERNEL_TILING_H
