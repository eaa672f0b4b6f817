// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_MATH_EXP_H
#define TWIN_INCLUDE_LIB_MATH_EXP_H

#include "device/advanced/exp.h"

#endif  // TWIN_INCLUDE_LIB_MATH_EXP_H
