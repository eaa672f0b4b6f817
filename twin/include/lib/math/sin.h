// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_MATH_SIN_H
#define TWIN_INCLUDE_LIB_MATH_SIN_H

#include "device/advanced/sin.h"

#endif  // TWIN_INCLUDE_LIB_MATH_SIN_H
