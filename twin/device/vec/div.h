// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_DIV_H
#define TWIN_DEVICE_VEC_DIV_H

#include "device/vec/shapes.h"

namespace AscendC {

// dst = src0 / src1; x/0 is infinity, 0/0 NaN. The twin rounds correctly, the chip not for all
// inputs.
TWIN_VEC_BINARY(Div, half, float)

}  // namespace AscendC

#endif  // TWIN_DEVICE_VEC_DIV_H
