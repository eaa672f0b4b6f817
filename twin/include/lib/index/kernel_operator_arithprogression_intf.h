// SPDX-License-Identifier: Apache-2.0
#ifndef LIB_INDEX_KERNEL_OPERATOR_ARITHPROGRESSION_INTF_H
#define LIB_INDEX_KERNEL_OPERATOR_ARITHPROGRESSION_INTF_H

// The deprecated name.
#include "lib/index/arithprogression.h"

#endif  // LIB_INDEX_KERNEL_OPERATOR_ARITHPROGRESSION_INTF_H
