// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_MAXS_H
#define TWIN_DEVICE_VEC_MAXS_H

#include "device/vec/shapes.h"

namespace AscendC {

// The larger of element and scalar.
TWIN_VEC_SCALAR(Maxs, half, float, int16_t, int32_t)

}  // namespace AscendC

#endif  // TWIN_DEVICE_VEC_MAXS_H
