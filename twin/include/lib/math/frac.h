// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_MATH_FRAC_H
#define TWIN_INCLUDE_LIB_MATH_FRAC_H

#include "device/advanced/frac.h"

#endif  // TWIN_INCLUDE_LIB_MATH_FRAC_H
