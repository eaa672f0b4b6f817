// SPDX-License-Identifier: Apache-2.0
#ifndef LIB_ACTIVATION_KERNEL_OPERATOR_SIGMOID_INTF_H
#define LIB_ACTIVATION_KERNEL_OPERATOR_SIGMOID_INTF_H

// The deprecated name.
#include "lib/activation/sigmoid.h"

#endif  // LIB_ACTIVATION_KERNEL_OPERATOR_SIGMOID_INTF_H
