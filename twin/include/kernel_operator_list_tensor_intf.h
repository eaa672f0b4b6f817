// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_KERNEL_OPERATOR_LIST_TENSOR_INTF_H
#define TWIN_INCLUDE_KERNEL_OPERATOR_LIST_TENSOR_INTF_H

// ListTensorDesc and TensorDesc, which kernels include by themselves.
#include "kernel_operator.h"

#endif  // TWIN_INCLUDE_KERNEL_OPERATOR_LIST_TENSOR_INTF_H
