// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_KERNEL_LOG_H
#define TWIN_INCLUDE_KERNEL_LOG_H

// ASCENDC_ASSERT and KERNEL_LOG.
#include "kernel_operator.h"

#endif  // TWIN_INCLUDE_KERNEL_LOG_H
