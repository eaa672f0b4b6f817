// SPDX-License-Identifier: Apache-2.0
#ifndef LIB_ACTIVATION_GEGLU_TILING_H
#define LIB_ACTIVATION_GEGLU_TILING_H

#include "tiling/activation/geglu_tiling.h"

#endif  // LIB_ACTIVATION_GEGLU_TILING_H
