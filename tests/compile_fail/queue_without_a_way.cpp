// SPDX-License-Identifier: Apache-2.0
// No instruction moves data from L0A (position A2) to UB (position VECIN).
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void queue_without_a_way(GM_ADDR out) {
    TPipe pipe;
    TQueBind<TPosition::A2, TPosition::VECIN, 1> queue;
    pipe.InitBuffer(queue, 1, 256);
}
