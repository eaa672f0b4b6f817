// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_MATH_XOR_H
#define TWIN_INCLUDE_LIB_MATH_XOR_H

#include "device/advanced/xor.h"

#endif  // TWIN_INCLUDE_LIB_MATH_XOR_H
