// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_NOT_H
#define TWIN_DEVICE_VEC_NOT_H

#include "device/vec/shapes.h"

namespace AscendC {

// Bitwise complement.
TWIN_VEC_UNARY(Not, int16_t, uint16_t)

}  // namespace AscendC

#endif  // TWIN_DEVICE_VEC_NOT_H
