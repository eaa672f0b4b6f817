// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_KERNEL_API_H
#define TWIN_INCLUDE_LIB_KERNEL_API_H

// The advanced vector API, which kernel_operator.h brings with it, as in the toolkit.
#include "lib/pad/broadcast.h"

#endif  // TWIN_INCLUDE_LIB_KERNEL_API_H
