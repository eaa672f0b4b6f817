// SPDX-License-Identifier: Apache-2.0
// Nothing carries data from L0A to UB.
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void queue_without_a_way(GM_ADDR out) {
    TPipe pipe;
    TQueBind<TPosition::A2, TPosition::VECIN, 1> queue;
    pipe.InitBuffer(queue, 1, 256);
}
