// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_NORMALIZATION_NORMALIZE_UTILS_H
#define TWIN_INCLUDE_LIB_NORMALIZATION_NORMALIZE_UTILS_H

// Part of kernel_operator.h, as in the toolkit.
#include "kernel_operator.h"

#endif  // TWIN_INCLUDE_LIB_NORMALIZATION_NORMALIZE_UTILS_H
