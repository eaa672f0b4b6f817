// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_MATH_ACOSH_H
#define TWIN_INCLUDE_LIB_MATH_ACOSH_H

#include "device/advanced/acosh.h"

#endif  // TWIN_INCLUDE_LIB_MATH_ACOSH_H
