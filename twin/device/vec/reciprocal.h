// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_RECIPROCAL_H
#define TWIN_DEVICE_VEC_RECIPROCAL_H

#include "device/vec/shapes.h"

namespace AscendC {

// 1 / src. An approximation on the chip: use Div where bits matter.
TWIN_VEC_UNARY(Reciprocal, half, float)

}  // namespace AscendC

#endif  // TWIN_DEVICE_VEC_RECIPROCAL_H
