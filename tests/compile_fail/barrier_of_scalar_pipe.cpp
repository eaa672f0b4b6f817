// SPDX-License-Identifier: Apache-2.0
// The scalar unit executes instructions in order, so PipeBarrier<PIPE_S> does not exist.
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void barrier_of_scalar_pipe(GM_ADDR out) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 256);
    PipeBarrier<PIPE_S>();
}
