// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_NORMALIZATION_BATCHNORM_TILING_INTF_H
#define TWIN_INCLUDE_LIB_NORMALIZATION_BATCHNORM_TILING_INTF_H

// The older name of batchnorm_tiling.h.
#include "lib/normalization/batchnorm_tiling.h"

#endif  // TWIN_INCLUDE_LIB_NORMALIZATION_BATCHNORM_TILING_INTF_H
