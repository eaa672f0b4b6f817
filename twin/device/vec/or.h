// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_OR_H
#define TWIN_DEVICE_VEC_OR_H

#include "device/vec/bitwise.h"

namespace AscendC {

// Bitwise or. The chip has it for 16-bit types; bitwise.h describes 32-bit ones.
TWIN_VEC_BITWISE(Or)

}  // namespace AscendC

#endif  // TWIN_DEVICE_VEC_OR_H
