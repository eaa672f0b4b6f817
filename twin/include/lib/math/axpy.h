// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_MATH_AXPY_H
#define TWIN_INCLUDE_LIB_MATH_AXPY_H

#include "device/advanced/axpy.h"

#endif  // TWIN_INCLUDE_LIB_MATH_AXPY_H
