// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_MATH_TAN_H
#define TWIN_INCLUDE_LIB_MATH_TAN_H

#include "device/advanced/tan.h"

#endif  // TWIN_INCLUDE_LIB_MATH_TAN_H
