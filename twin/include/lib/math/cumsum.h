// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_MATH_CUMSUM_H
#define TWIN_INCLUDE_LIB_MATH_CUMSUM_H

#include "device/advanced/cumsum.h"

#endif  // TWIN_INCLUDE_LIB_MATH_CUMSUM_H
