// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_LEAKY_RELU_H
#define TWIN_DEVICE_VEC_LEAKY_RELU_H

#include "device/vec/shapes.h"

namespace AscendC {

// src if it is >= 0, otherwise src * scalar.
TWIN_VEC_SCALAR(LeakyRelu, half, float)

}  // namespace AscendC

#endif  // TWIN_DEVICE_VEC_LEAKY_RELU_H
