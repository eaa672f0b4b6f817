// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_ACTIVATION_SIGMOID_H
#define TWIN_DEVICE_ACTIVATION_SIGMOID_H

#include "device/library/elementwise.h"

namespace AscendC {

/// 1 / (1 + e^-src), every step rounded to the type.
TWIN_ADVANCED_UNARY(Sigmoid, Sigmoid, half, float)

}  // namespace AscendC

#endif  // TWIN_DEVICE_ACTIVATION_SIGMOID_H
