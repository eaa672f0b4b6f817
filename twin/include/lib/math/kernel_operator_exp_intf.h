// SPDX-License-Identifier: Apache-2.0
#ifndef LIB_MATH_KERNEL_OPERATOR_EXP_INTF_H
#define LIB_MATH_KERNEL_OPERATOR_EXP_INTF_H

// The deprecated name.
#include "lib/math/exp.h"

#endif  // LIB_MATH_KERNEL_OPERATOR_EXP_INTF_H
