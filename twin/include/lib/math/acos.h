// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_MATH_ACOS_H
#define TWIN_INCLUDE_LIB_MATH_ACOS_H

#include "device/advanced/acos.h"

#endif  // TWIN_INCLUDE_LIB_MATH_ACOS_H
