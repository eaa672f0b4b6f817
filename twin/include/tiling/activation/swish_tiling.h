// SPDX-License-Identifier: Apache-2.0
#ifndef TILING_ACTIVATION_SWISH_TILING_H
#define TILING_ACTIVATION_SWISH_TILING_H

#include <cstdint>

#include "graph/tensor.h"

namespace AscendC {

/// Swish needs no scratch.
void GetSwishTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool isReuseSource,
                     uint32_t& max, uint32_t& min);

}  // namespace AscendC

#endif  // TILING_ACTIVATION_SWISH_TILING_H
