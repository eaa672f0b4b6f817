// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_MATH_ERFC_H
#define TWIN_INCLUDE_LIB_MATH_ERFC_H

#include "device/advanced/erfc.h"

#endif  // TWIN_INCLUDE_LIB_MATH_ERFC_H
