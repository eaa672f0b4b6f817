// SPDX-License-Identifier: Apache-2.0
#ifndef LIB_PAD_BROADCAST_TILING_H
#define LIB_PAD_BROADCAST_TILING_H

#include "tiling/pad/broadcast_tiling.h"

#endif  // LIB_PAD_BROADCAST_TILING_H
