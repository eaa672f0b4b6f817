// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_FUSED_MUL_ADD_H
#define TWIN_DEVICE_VEC_FUSED_MUL_ADD_H

#include "device/vec/fused.h"

namespace AscendC {

// dst = src0 * dst + src1; product and sum are each rounded.
TWIN_VEC_FUSED(FusedMulAdd, half, float)

}  // namespace AscendC

#endif  // TWIN_DEVICE_VEC_FUSED_MUL_ADD_H
