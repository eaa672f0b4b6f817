// SPDX-License-Identifier: Apache-2.0
// The twin does not have VectorPadding, so the compiler must report this name.
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void unmodelled_api(GM_ADDR out) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 256);
    const LocalTensor<float> x = buffer.Get<float>();
    VectorPadding(x, x, 1, false, 8);
}
