// SPDX-License-Identifier: Apache-2.0
// The scalar must have the type of the tensor, float: 0.0F, not 0.
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void literal_duplicate_int(GM_ADDR out) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 256);
    const LocalTensor<float> x = buffer.Get<float>();
    Duplicate(x, 0, 8);
}
