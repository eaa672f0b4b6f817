// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_MATH_POWER_H
#define TWIN_INCLUDE_LIB_MATH_POWER_H

#include "device/advanced/power.h"

#endif  // TWIN_INCLUDE_LIB_MATH_POWER_H
