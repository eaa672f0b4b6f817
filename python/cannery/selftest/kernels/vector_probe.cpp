// SPDX-License-Identifier: Apache-2.0
// Runs one vector operation on 64 elements of each input. The macro OPERATION is the statement that
// computes z from x and y. IN is the type of x and y, OUT the type of z.
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t kElems = 64;
constexpr uint32_t kBytes = 1024;

extern "C" __global__ __aicore__ void vector_probe(GM_ADDR a, GM_ADDR b, GM_ADDR c) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffers[3];
    for (TBuf<TPosition::VECCALC>& buffer : buffers) {
        pipe.InitBuffer(buffer, kBytes);
    }
    LocalTensor<IN> x = buffers[0].Get<IN>();
    LocalTensor<IN> y = buffers[1].Get<IN>();
    LocalTensor<OUT> z = buffers[2].Get<OUT>();
    GlobalTensor<IN> xGm;
    GlobalTensor<IN> yGm;
    GlobalTensor<OUT> zGm;
    xGm.SetGlobalBuffer((__gm__ IN*)a, kElems);
    yGm.SetGlobalBuffer((__gm__ IN*)b, kElems);
    zGm.SetGlobalBuffer((__gm__ OUT*)c, kElems);
    DataCopy(x, xGm, kElems);
    DataCopy(y, yGm, kElems);
    Duplicate(buffers[2].Get<float>(), 0.0f, kBytes / sizeof(float));
    PipeBarrier<PIPE_ALL>();
    OPERATION;
    PipeBarrier<PIPE_ALL>();
    DataCopy(zGm, z, kElems);
}
