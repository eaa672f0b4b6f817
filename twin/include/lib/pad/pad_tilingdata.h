// SPDX-License-Identifier: Apache-2.0
#ifndef LIB_PAD_PAD_TILINGDATA_H
#define LIB_PAD_PAD_TILINGDATA_H

#include "tiling/pad/pad_tilingdata.h"

#endif  // LIB_PAD_PAD_TILINGDATA_H
