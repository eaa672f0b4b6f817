// SPDX-License-Identifier: Apache-2.0
#ifndef LIB_MATMUL_MATMUL_CONFIG_H
#define LIB_MATMUL_MATMUL_CONFIG_H

#include "device/matmul/config.h"

#endif  // LIB_MATMUL_MATMUL_CONFIG_H
