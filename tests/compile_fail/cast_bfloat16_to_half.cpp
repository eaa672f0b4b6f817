// SPDX-License-Identifier: Apache-2.0
// Cast from bfloat16 to half does not exist: the hardware needs a Cast to float first.
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void cast_bfloat16_to_half(GM_ADDR out) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 256);
    const LocalTensor<bfloat16_t> x = buffer.Get<bfloat16_t>();
    Cast(buffer.Get<half>(), x, RoundMode::CAST_RINT, 16);
}
