// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_ADD_RELU_H
#define TWIN_DEVICE_VEC_ADD_RELU_H

#include "device/vec/fused.h"

namespace AscendC {

// dst = max(src0 + src1, 0). Integers wrap before the maximum.
TWIN_VEC_FUSED(AddRelu, half, float, int16_t)

}  // namespace AscendC

#endif  // TWIN_DEVICE_VEC_ADD_RELU_H
