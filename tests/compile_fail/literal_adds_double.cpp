// SPDX-License-Identifier: Apache-2.0
// The scalar must have the type of the tensor, float: 1.0F, not 1.0.
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void literal_adds_double(GM_ADDR out) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 256);
    const LocalTensor<float> x = buffer.Get<float>();
    Adds(x, x, 1.0, 8);
}
