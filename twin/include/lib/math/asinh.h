// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_MATH_ASINH_H
#define TWIN_INCLUDE_LIB_MATH_ASINH_H

#include "device/advanced/asinh.h"

#endif  // TWIN_INCLUDE_LIB_MATH_ASINH_H
