// SPDX-License-Identifier: Apache-2.0
// `Not` accepts only integers.
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void dtype_not_float(GM_ADDR out) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 256);
    const LocalTensor<float> x = buffer.Get<float>();
    Not(x, x, 8);
}
