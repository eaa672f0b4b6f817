// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_SUB_H
#define TWIN_DEVICE_VEC_SUB_H

#include "device/vec/shapes.h"

namespace AscendC {

// dst = src0 - src1. Integers wrap.
TWIN_VEC_BINARY(Sub, half, float, int16_t, int32_t)

}  // namespace AscendC

#endif  // TWIN_DEVICE_VEC_SUB_H
