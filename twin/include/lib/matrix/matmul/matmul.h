// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_INCLUDE_LIB_MATRIX_MATMUL_MATMUL_H
#define TWIN_INCLUDE_LIB_MATRIX_MATMUL_MATMUL_H

// The toolkit's older place of lib/matmul/matmul.h.
#include "lib/matmul/matmul.h"

#endif  // TWIN_INCLUDE_LIB_MATRIX_MATMUL_MATMUL_H
