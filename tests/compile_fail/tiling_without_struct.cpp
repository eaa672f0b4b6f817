// SPDX-License-Identifier: Apache-2.0
// GET_TILING_DATA needs a registered tiling struct.
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void tiling_without_struct(GM_ADDR out) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 256);
    GET_TILING_DATA(data, out);
}
