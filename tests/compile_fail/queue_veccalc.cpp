// SPDX-License-Identifier: Apache-2.0
// VECCALC is a position for a TBuf, not for a queue.
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void queue_veccalc(GM_ADDR out) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 256);
    TQue<QuePosition::VECCALC, 1> queue;
    pipe.InitBuffer(queue, 1, 256);
}
