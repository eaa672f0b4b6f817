// SPDX-License-Identifier: Apache-2.0
#ifndef LIB_MATMUL_INTF_IN_FOLDER_H
#define LIB_MATMUL_INTF_IN_FOLDER_H

#include "lib/matmul_intf.h"

#endif  // LIB_MATMUL_INTF_IN_FOLDER_H
