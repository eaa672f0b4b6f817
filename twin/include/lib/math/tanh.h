// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_MATH_TANH_H
#define TWIN_INCLUDE_LIB_MATH_TANH_H

#include "device/advanced/tanh.h"

#endif  // TWIN_INCLUDE_LIB_MATH_TANH_H
