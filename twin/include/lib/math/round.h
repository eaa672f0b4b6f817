// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_MATH_ROUND_H
#define TWIN_INCLUDE_LIB_MATH_ROUND_H

#include "device/advanced/round.h"

#endif  // TWIN_INCLUDE_LIB_MATH_ROUND_H
