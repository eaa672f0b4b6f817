// SPDX-License-Identifier: Apache-2.0
#ifndef LIB_TILING_API_H
#define LIB_TILING_API_H

#include "tiling/tiling_api.h"

#endif  // LIB_TILING_API_H
