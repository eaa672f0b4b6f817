// SPDX-License-Identifier: Apache-2.0
#ifndef LIB_MATMUL_MATMUL_CLIENT_H
#define LIB_MATMUL_MATMUL_CLIENT_H

#include "device/kfc/matmul_client.h"

#endif  // LIB_MATMUL_MATMUL_CLIENT_H
