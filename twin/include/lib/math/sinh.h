// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_MATH_SINH_H
#define TWIN_INCLUDE_LIB_MATH_SINH_H

#include "device/advanced/sinh.h"

#endif  // TWIN_INCLUDE_LIB_MATH_SINH_H
