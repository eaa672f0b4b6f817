// SPDX-License-Identifier: Apache-2.0
#ifndef LIB_SIGMOID_KERNEL_OPERATOR_SIGMOID_INTF_H
#define LIB_SIGMOID_KERNEL_OPERATOR_SIGMOID_INTF_H

// The place in older toolkits.
#include "lib/activation/sigmoid.h"

#endif  // LIB_SIGMOID_KERNEL_OPERATOR_SIGMOID_INTF_H
