// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_SORT_KERNEL_OPERATOR_TOPK_INTF_H
#define TWIN_INCLUDE_LIB_SORT_KERNEL_OPERATOR_TOPK_INTF_H

// Part of kernel_operator.h, as in the toolkit.
#include "kernel_operator.h"

#endif  // TWIN_INCLUDE_LIB_SORT_KERNEL_OPERATOR_TOPK_INTF_H
