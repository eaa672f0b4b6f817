// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_AND_H
#define TWIN_DEVICE_VEC_AND_H

#include "device/vec/shapes.h"

namespace AscendC {

// Bitwise and.
TWIN_VEC_BINARY(And, int16_t, uint16_t, int32_t, uint32_t)

}  // namespace AscendC

#endif  // TWIN_DEVICE_VEC_AND_H
