// SPDX-License-Identifier: Apache-2.0
// Only newer chips have DataCopyPad with a mode.
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void padding_mode(GM_ADDR in) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 256);
    const LocalTensor<float> x = buffer.Get<float>();
    GlobalTensor<float> from;
    from.SetGlobalBuffer((__gm__ float*)in, 64);
    DataCopyPad<float, PaddingMode::Compact>(x, from, DataCopyExtParams(1, 4, 0, 0, 0),
                                             DataCopyPadExtParams<float>(false, 0, 0, 0));
}
