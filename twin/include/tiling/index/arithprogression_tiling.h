// SPDX-License-Identifier: Apache-2.0
#ifndef TILING_INDEX_ARITHPROGRESSION_TILING_H
#define TILING_INDEX_ARITHPROGRESSION_TILING_H

#include <cstdint>

#include "graph/tensor.h"

namespace AscendC {

/// ArithProgression needs no scratch.
void GetArithProgressionMaxMinTmpSize(uint32_t& maxValue, uint32_t& minValue);

}  // namespace AscendC

#endif  // TILING_INDEX_ARITHPROGRESSION_TILING_H
