// SPDX-License-Identifier: Apache-2.0
// ReduceSum accepts only floating-point numbers.
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void dtype_reduce_int32(GM_ADDR out) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 1024);
    LocalTensor<int32_t> x = buffer.Get<int32_t>();
    ReduceSum(x, x, x, 64);
}
