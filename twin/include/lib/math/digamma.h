// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_MATH_DIGAMMA_H
#define TWIN_INCLUDE_LIB_MATH_DIGAMMA_H

#include "device/advanced/digamma.h"

#endif  // TWIN_INCLUDE_LIB_MATH_DIGAMMA_H
