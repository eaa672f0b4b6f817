// SPDX-License-Identifier: Apache-2.0
// TSCM is a type of its own, not a position for a TQue.
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void queue_tscm(GM_ADDR out) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 256);
    TQue<QuePosition::TSCM, 1> queue;
    pipe.InitBuffer(queue, 1, 256);
}
