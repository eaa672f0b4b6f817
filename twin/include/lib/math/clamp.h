// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_MATH_CLAMP_H
#define TWIN_INCLUDE_LIB_MATH_CLAMP_H

#include "device/advanced/clamp.h"

#endif  // TWIN_INCLUDE_LIB_MATH_CLAMP_H
