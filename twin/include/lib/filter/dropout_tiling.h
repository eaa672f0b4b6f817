// SPDX-License-Identifier: Apache-2.0
#ifndef LIB_FILTER_DROPOUT_TILING_H
#define LIB_FILTER_DROPOUT_TILING_H

#include "tiling/filter/dropout_tiling.h"

#endif  // LIB_FILTER_DROPOUT_TILING_H
