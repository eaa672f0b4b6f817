// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_MATH_COSH_H
#define TWIN_INCLUDE_LIB_MATH_COSH_H

#include "device/advanced/cosh.h"

#endif  // TWIN_INCLUDE_LIB_MATH_COSH_H
