// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_MAX_H
#define TWIN_DEVICE_VEC_MAX_H

#include "device/vec/shapes.h"

namespace AscendC {

// The larger of both. On the twin the result is NaN if either source is; the chip's rule is
// undocumented.
TWIN_VEC_BINARY(Max, half, float, int16_t, int32_t)

}  // namespace AscendC

#endif  // TWIN_DEVICE_VEC_MAX_H
