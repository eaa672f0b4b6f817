// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_MATH_ASIN_H
#define TWIN_INCLUDE_LIB_MATH_ASIN_H

#include "device/advanced/asin.h"

#endif  // TWIN_INCLUDE_LIB_MATH_ASIN_H
