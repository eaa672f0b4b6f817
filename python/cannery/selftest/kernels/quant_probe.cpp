// SPDX-License-Identifier: Apache-2.0
// Computes the matrix product c[16, 32] = a[16, 16] x b[16, 32]. Fixpipe converts it from float to
// int8; SCALE is its deqScalar.
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint16_t kRows = 16;
constexpr uint16_t kColumns = 32;

__aicore__ inline void CopyIn(const LocalTensor<half>& to, const GlobalTensor<half>& from,
                              uint16_t columns) {
    Nd2NzParams params;
    params.ndNum = 1;
    params.nValue = kRows;
    params.dValue = columns;
    params.srcDValue = columns;
    params.dstNzC0Stride = kRows;
    params.dstNzNStride = 1;
    DataCopy(to, from, params);
}

extern "C" __global__ __aicore__ void quant_probe(GM_ADDR a, GM_ADDR b, GM_ADDR c) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    TPipe pipe;
    TBuf<TPosition::A1> a1Buffer;
    TBuf<TPosition::B1> b1Buffer;
    TBuf<TPosition::A2> a2Buffer;
    TBuf<TPosition::B2> b2Buffer;
    TBuf<TPosition::CO1> co1Buffer;
    pipe.InitBuffer(a1Buffer, kRows * kRows * sizeof(half));
    pipe.InitBuffer(b1Buffer, kRows * kColumns * sizeof(half));
    pipe.InitBuffer(a2Buffer, kRows * kRows * sizeof(half));
    pipe.InitBuffer(b2Buffer, kRows * kColumns * sizeof(half));
    pipe.InitBuffer(co1Buffer, kRows * kColumns * sizeof(float));
    GlobalTensor<half> aGm;
    GlobalTensor<half> bGm;
    GlobalTensor<int8_t> cGm;
    aGm.SetGlobalBuffer((__gm__ half*)a, kRows * kRows);
    bGm.SetGlobalBuffer((__gm__ half*)b, kRows * kColumns);
    cGm.SetGlobalBuffer((__gm__ int8_t*)c, kRows * kColumns);
    CopyIn(a1Buffer.Get<half>(), aGm, kRows);
    CopyIn(b1Buffer.Get<half>(), bGm, kColumns);
    PipeBarrier<PIPE_ALL>();
    LoadData2DParams load;
    load.repeatTimes = 1;
    load.srcStride = 1;
    LoadData(a2Buffer.Get<half>(), a1Buffer.Get<half>(), load);
    load.repeatTimes = kColumns / 16;
    load.ifTranspose = true;
    LoadData(b2Buffer.Get<half>(), b1Buffer.Get<half>(), load);
    PipeBarrier<PIPE_ALL>();
    MmadParams product;
    product.m = kRows;
    product.n = kColumns;
    product.k = kRows;
    product.cmatrixInitVal = true;
    Mmad(co1Buffer.Get<float>(), a2Buffer.Get<half>(), b2Buffer.Get<half>(), product);
    PipeBarrier<PIPE_ALL>();
    FixpipeParamsV220 out;
    out.nSize = kColumns;
    out.mSize = kRows;
    out.srcStride = kRows;
    out.dstStride = kColumns;
    out.quantPre = QuantMode_t::QF322B8_PRE;
    out.deqScalar = SCALE;
    Fixpipe<int8_t, float, CFG_ROW_MAJOR>(cGm, co1Buffer.Get<float>(), out);
}
