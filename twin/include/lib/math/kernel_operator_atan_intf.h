// SPDX-License-Identifier: Apache-2.0
#ifndef LIB_MATH_KERNEL_OPERATOR_ATAN_INTF_H
#define LIB_MATH_KERNEL_OPERATOR_ATAN_INTF_H

// The deprecated name.
#include "lib/math/atan.h"

#endif  // LIB_MATH_KERNEL_OPERATOR_ATAN_INTF_H
