// SPDX-License-Identifier: Apache-2.0
#ifndef LIB_FILTER_KERNEL_OPERATOR_DROPOUT_INTF_H
#define LIB_FILTER_KERNEL_OPERATOR_DROPOUT_INTF_H

// The deprecated name.
#include "lib/filter/dropout.h"

#endif  // LIB_FILTER_KERNEL_OPERATOR_DROPOUT_INTF_H
