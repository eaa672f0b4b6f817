// SPDX-License-Identifier: Apache-2.0
#ifndef LIB_PAD_PAD_TILING_H
#define LIB_PAD_PAD_TILING_H

#include "tiling/pad/pad_tiling.h"

#endif  // LIB_PAD_PAD_TILING_H
