// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_MATH_ATAN_H
#define TWIN_INCLUDE_LIB_MATH_ATAN_H

#include "device/advanced/atan.h"

#endif  // TWIN_INCLUDE_LIB_MATH_ATAN_H
