// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_MATH_ATANH_H
#define TWIN_INCLUDE_LIB_MATH_ATANH_H

#include "device/advanced/atanh.h"

#endif  // TWIN_INCLUDE_LIB_MATH_ATANH_H
