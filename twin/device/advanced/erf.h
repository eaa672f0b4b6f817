// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_ADVANCED_ERF_H
#define TWIN_DEVICE_ADVANCED_ERF_H

#include "device/advanced/elementwise.h"

namespace AscendC {

/// Error function.
TWIN_ADVANCED_UNARY(Erf, Erf, half, float)

}  // namespace AscendC

#endif  // TWIN_DEVICE_ADVANCED_ERF_H
