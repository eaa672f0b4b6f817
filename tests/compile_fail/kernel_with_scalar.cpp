// SPDX-License-Identifier: Apache-2.0
// A kernel takes pointers only; numbers come in tiling data.
#include "kernel_operator.h"

extern "C" __global__ __aicore__ void kernel_with_scalar(GM_ADDR out, int32_t count) {}
