// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_MATH_CEIL_H
#define TWIN_INCLUDE_LIB_MATH_CEIL_H

#include "device/advanced/ceil.h"

#endif  // TWIN_INCLUDE_LIB_MATH_CEIL_H
