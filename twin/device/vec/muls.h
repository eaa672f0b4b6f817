// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_MULS_H
#define TWIN_DEVICE_VEC_MULS_H

#include "device/vec/shapes.h"

namespace AscendC {

// dst = src * scalar.
TWIN_VEC_SCALAR(Muls, half, float, int16_t, int32_t)

}  // namespace AscendC

#endif  // TWIN_DEVICE_VEC_MULS_H
