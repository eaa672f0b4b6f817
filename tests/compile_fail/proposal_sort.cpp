// SPDX-License-Identifier: Apache-2.0
// Region proposals belong to other chips.
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void proposal_sort(GM_ADDR out) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 1024);
    LocalTensor<float> x = buffer.Get<float>();
    RpSort16(x, x, 1);
}
