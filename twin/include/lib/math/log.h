// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_MATH_LOG_H
#define TWIN_INCLUDE_LIB_MATH_LOG_H

#include "device/advanced/log.h"

#endif  // TWIN_INCLUDE_LIB_MATH_LOG_H
