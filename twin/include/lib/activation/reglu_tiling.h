// SPDX-License-Identifier: Apache-2.0
#ifndef LIB_ACTIVATION_REGLU_TILING_H
#define LIB_ACTIVATION_REGLU_TILING_H

#include "tiling/activation/reglu_tiling.h"

#endif  // LIB_ACTIVATION_REGLU_TILING_H
