// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_IMPL_DAV_C220_KERNEL_OPERATOR_REG_OTHERS_IMPL_H
#define TWIN_INCLUDE_IMPL_DAV_C220_KERNEL_OPERATOR_REG_OTHERS_IMPL_H

// Reads special registers of the chip and is empty in the toolkit's own debug build; kernels
// include it.
#include "kernel_operator.h"

#endif  // TWIN_INCLUDE_IMPL_DAV_C220_KERNEL_OPERATOR_REG_OTHERS_IMPL_H
