// SPDX-License-Identifier: Apache-2.0
// SyncAll<false> waits for the cube core.
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void sync_all_with_cube(GM_ADDR out) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 256);
    SyncAll<false>();
}
