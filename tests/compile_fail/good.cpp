// SPDX-License-Identifier: Apache-2.0
// A correct kernel with the structure of the other files in this folder. It must compile.
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void good(GM_ADDR out) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 256);
    const LocalTensor<float> x = buffer.Get<float>();
    Muls(x, x, 2.0F, 8);
}
