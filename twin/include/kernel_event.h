// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_KERNEL_EVENT_H
#define TWIN_INCLUDE_KERNEL_EVENT_H

// Flags; kernels include it beside kernel_operator.h.
#include "kernel_operator.h"

#endif  // TWIN_INCLUDE_KERNEL_EVENT_H
