// SPDX-License-Identifier: Apache-2.0
#ifndef TILING_ACTIVATION_SILU_TILING_H
#define TILING_ACTIVATION_SILU_TILING_H

#include <cstdint>

#include "graph/tensor.h"

namespace AscendC {

/// Silu needs no scratch.
void GetSiluTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool isReuseSource,
                    uint32_t& max, uint32_t& min);

}  // namespace AscendC

#endif  // TILING_ACTIVATION_SILU_TILING_H
