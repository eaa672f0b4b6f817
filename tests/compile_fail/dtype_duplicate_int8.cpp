// SPDX-License-Identifier: Apache-2.0
// Duplicate does not support 8-bit types. Reinterpret the tensor as a 16-bit type instead.
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void dtype_duplicate_int8(GM_ADDR out) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 256);
    const LocalTensor<int8_t> x = buffer.Get<int8_t>();
    Duplicate(x, static_cast<int8_t>(0), 32);
}
