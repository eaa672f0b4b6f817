// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_MATH_LGAMMA_H
#define TWIN_INCLUDE_LIB_MATH_LGAMMA_H

#include "device/advanced/lgamma.h"

#endif  // TWIN_INCLUDE_LIB_MATH_LGAMMA_H
