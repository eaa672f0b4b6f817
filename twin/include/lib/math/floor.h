// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_MATH_FLOOR_H
#define TWIN_INCLUDE_LIB_MATH_FLOOR_H

#include "device/advanced/floor.h"

#endif  // TWIN_INCLUDE_LIB_MATH_FLOOR_H
