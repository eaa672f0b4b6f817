// SPDX-License-Identifier: Apache-2.0
// Calls Add on floats 1000 times, with 64 repeats. SRC0, SRC1 and DST are the addresses of the
// operands in the unified buffer.
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void add_at(GM_ADDR out) {
    constexpr uint32_t kElements = 4096;
    LocalTensor<float> src0(TPosition::VECCALC, SRC0, kElements);
    LocalTensor<float> src1(TPosition::VECCALC, SRC1, kElements);
    LocalTensor<float> dst(TPosition::VECCALC, DST, kElements);
    Duplicate(src0, 1.0F, kElements);
    Duplicate(src1, 2.0F, kElements);
    PipeBarrier<PIPE_ALL>();
    const BinaryRepeatParams params(1, BLOCK0, 1, 8, REPEAT0, 8);
    for (int32_t i = 0; i < 1000; ++i) {
        Add(dst, src0, src1, 64, 64, params);
    }
    PipeBarrier<PIPE_ALL>();
    GlobalTensor<float> to;
    to.SetGlobalBuffer((__gm__ float*)out, 8);
    DataCopy(to, dst, 8);
}
