// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_MATH_TRUNC_H
#define TWIN_INCLUDE_LIB_MATH_TRUNC_H

#include "device/advanced/trunc.h"

#endif  // TWIN_INCLUDE_LIB_MATH_TRUNC_H
