// SPDX-License-Identifier: Apache-2.0
#ifndef LIB_PAD_KERNEL_OPERATOR_PAD_INTF_H
#define LIB_PAD_KERNEL_OPERATOR_PAD_INTF_H

// The deprecated name.
#include "lib/pad/pad.h"

#endif  // LIB_PAD_KERNEL_OPERATOR_PAD_INTF_H
