// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_MATH_ERF_H
#define TWIN_INCLUDE_LIB_MATH_ERF_H

#include "device/advanced/erf.h"

#endif  // TWIN_INCLUDE_LIB_MATH_ERF_H
