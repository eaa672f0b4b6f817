// SPDX-License-Identifier: Apache-2.0
// All operands of Add must have the same type.
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void operand_types_differ(GM_ADDR out) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 256);
    const LocalTensor<float> x = buffer.Get<float>();
    Add(x, x, buffer.Get<half>(), 8);
}
