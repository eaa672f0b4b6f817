// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_KERNEL_OPERATOR_ATOMIC_INTF_H
#define TWIN_INCLUDE_KERNEL_OPERATOR_ATOMIC_INTF_H

// Part of kernel_operator.h; newer than 8.1.
#include "kernel_operator.h"

#endif  // TWIN_INCLUDE_KERNEL_OPERATOR_ATOMIC_INTF_H
