// SPDX-License-Identifier: Apache-2.0
#ifndef LIB_QUANTIZATION_ASCEND_QUANT_TILING_H
#define LIB_QUANTIZATION_ASCEND_QUANT_TILING_H

#include "tiling/quantization/ascend_quant_tiling.h"

#endif  // LIB_QUANTIZATION_ASCEND_QUANT_TILING_H
