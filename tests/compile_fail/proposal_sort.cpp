// SPDX-License-Identifier: Apache-2.0
// RpSort16 works on region proposals, which A2 and A3 do not support.
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void proposal_sort(GM_ADDR out) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 1024);
    LocalTensor<float> x = buffer.Get<float>();
    RpSort16(x, x, 1);
}
