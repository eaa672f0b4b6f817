// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_FUSED_MUL_ADD_RELU_H
#define TWIN_DEVICE_VEC_FUSED_MUL_ADD_RELU_H

#include "device/vec/fused.h"

namespace AscendC {

// dst = max(src0 * dst + src1, 0); every step is rounded.
TWIN_VEC_FUSED(FusedMulAddRelu, half, float)

}  // namespace AscendC

#endif  // TWIN_DEVICE_VEC_FUSED_MUL_ADD_RELU_H
