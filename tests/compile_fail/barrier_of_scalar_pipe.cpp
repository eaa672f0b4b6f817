// SPDX-License-Identifier: Apache-2.0
// The scalar unit works in order, so this barrier does not exist.
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void barrier_of_scalar_pipe(GM_ADDR out) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 256);
    PipeBarrier<PIPE_S>();
}
