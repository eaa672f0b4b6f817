// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_MATH_COS_H
#define TWIN_INCLUDE_LIB_MATH_COS_H

#include "device/advanced/cos.h"

#endif  // TWIN_INCLUDE_LIB_MATH_COS_H
