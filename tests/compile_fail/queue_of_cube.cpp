// SPDX-License-Identifier: Apache-2.0
// The cube core is not modelled.
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void queue_of_cube(GM_ADDR out) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 256);
    TQue<QuePosition::A1, 1> queue;
    pipe.InitBuffer(queue, 1, 256);
}
