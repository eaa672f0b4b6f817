// SPDX-License-Identifier: Apache-2.0
#ifndef LIB_INDEX_ARITHPROGRESSION_TILING_H
#define LIB_INDEX_ARITHPROGRESSION_TILING_H

#include "tiling/index/arithprogression_tiling.h"

#endif  // LIB_INDEX_ARITHPROGRESSION_TILING_H
