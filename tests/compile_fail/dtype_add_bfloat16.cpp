// SPDX-License-Identifier: Apache-2.0
// bfloat16 has no vector arithmetic on A2 and A3.
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void dtype_add_bfloat16(GM_ADDR out) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 256);
    const LocalTensor<bfloat16_t> x = buffer.Get<bfloat16_t>();
    Add(x, x, x, 16);
}
