// SPDX-License-Identifier: Apache-2.0
#ifndef LIB_QUANTIZATION_KERNEL_OPERATOR_ASCEND_QUANT_INTF_H
#define LIB_QUANTIZATION_KERNEL_OPERATOR_ASCEND_QUANT_INTF_H

// The deprecated name.
#include "lib/quantization/ascend_quant.h"

#endif  // LIB_QUANTIZATION_KERNEL_OPERATOR_ASCEND_QUANT_INTF_H
