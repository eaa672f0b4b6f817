// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_RELU_H
#define TWIN_DEVICE_VEC_RELU_H

#include "device/vec/shapes.h"

namespace AscendC {

// src if it is positive, otherwise 0.
TWIN_VEC_UNARY(Relu, half, float, int32_t)

}  // namespace AscendC

#endif  // TWIN_DEVICE_VEC_RELU_H
