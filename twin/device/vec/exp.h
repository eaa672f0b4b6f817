// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_EXP_H
#define TWIN_DEVICE_VEC_EXP_H

#include "device/vec/shapes.h"

namespace AscendC {

// e to the power of src. The twin's error is at most one unit in the last place; that of the chip
// is undocumented.
TWIN_VEC_UNARY(Exp, half, float)

}  // namespace AscendC

#endif  // TWIN_DEVICE_VEC_EXP_H
