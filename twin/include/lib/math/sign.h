// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_MATH_SIGN_H
#define TWIN_INCLUDE_LIB_MATH_SIGN_H

#include "device/advanced/sign.h"

#endif  // TWIN_INCLUDE_LIB_MATH_SIGN_H
