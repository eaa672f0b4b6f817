// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_LN_H
#define TWIN_DEVICE_VEC_LN_H

#include "device/vec/shapes.h"

namespace AscendC {

// Natural logarithm; 0 gives -infinity, negative numbers NaN.
TWIN_VEC_UNARY(Ln, half, float)

}  // namespace AscendC

#endif  // TWIN_DEVICE_VEC_LN_H
