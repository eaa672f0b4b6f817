// SPDX-License-Identifier: Apache-2.0
#ifndef LIB_QUANTIZATION_ASCEND_ANTIQUANT_TILING_H
#define LIB_QUANTIZATION_ASCEND_ANTIQUANT_TILING_H

#include "tiling/quantization/ascend_antiquant_tiling.h"

#endif  // LIB_QUANTIZATION_ASCEND_ANTIQUANT_TILING_H
