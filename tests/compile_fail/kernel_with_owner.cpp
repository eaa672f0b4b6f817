// SPDX-License-Identifier: Apache-2.0
// Kernel arguments are copied byte by byte, so a std::string is not allowed.
#include <string>

#include "kernel_operator.h"

__global__ __aicore__ void kernel_with_owner(GM_ADDR out, std::string name) {}
