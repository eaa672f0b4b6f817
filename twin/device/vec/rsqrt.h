// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_RSQRT_H
#define TWIN_DEVICE_VEC_RSQRT_H

#include "device/vec/shapes.h"

namespace AscendC {

// 1 / square root. An approximation on the chip: use Div where bits matter.
TWIN_VEC_UNARY(Rsqrt, half, float)

}  // namespace AscendC

#endif  // TWIN_DEVICE_VEC_RSQRT_H
