// SPDX-License-Identifier: Apache-2.0
// This kernel computes in float the softmax of rows of type half; bench_compile.py compiles it.
#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t kBuffers = 2;

struct RowSoftmaxTiling {
    uint32_t rows;
    uint32_t columns;
    uint32_t rowsPerBlock;
    float scale;
};

template <typename T>
class RowSoftmax {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const RowSoftmaxTiling& tiling, TPipe* pipe) {
        tiling_ = tiling;
        const uint32_t bytes = (tiling.columns * sizeof(T) + 31) / 32 * 32;
        padded_ = bytes / sizeof(T);
        first_ = GetBlockIdx() * tiling.rowsPerBlock;
        last_ =
            first_ + tiling.rowsPerBlock < tiling.rows ? first_ + tiling.rowsPerBlock : tiling.rows;
        xGm_.SetGlobalBuffer((__gm__ T*)x, tiling.rows * tiling.columns);
        yGm_.SetGlobalBuffer((__gm__ T*)y, tiling.rows * tiling.columns);
        pipe->InitBuffer(inQueue_, kBuffers, bytes);
        pipe->InitBuffer(outQueue_, kBuffers, bytes);
        pipe->InitBuffer(rowBuffer_, padded_ * sizeof(float));
        pipe->InitBuffer(workBuffer_, padded_ * sizeof(float));
        pipe->InitBuffer(resultBuffer_, 32);
    }

    __aicore__ inline void Process() {
        for (uint32_t row = first_; row < last_; ++row) {
            CopyIn(row);
            Compute();
            CopyOut(row);
        }
    }

private:
    __aicore__ inline void CopyIn(uint32_t row) {
        LocalTensor<T> x = inQueue_.AllocTensor<T>();
        DataCopyExtParams params{1, static_cast<uint32_t>(tiling_.columns * sizeof(T)), 0, 0, 0};
        DataCopyPadExtParams<T> padding{true, 0, static_cast<uint8_t>(padded_ - tiling_.columns),
                                        T(0)};
        DataCopyPad(x, xGm_[row * tiling_.columns], params, padding);
        inQueue_.EnQue(x);
    }

    __aicore__ inline void Compute() {
        LocalTensor<T> x = inQueue_.DeQue<T>();
        LocalTensor<T> y = outQueue_.AllocTensor<T>();
        LocalTensor<float> row = rowBuffer_.Get<float>();
        LocalTensor<float> work = workBuffer_.Get<float>();
        LocalTensor<float> result = resultBuffer_.Get<float>();
        const int32_t count = static_cast<int32_t>(tiling_.columns);
        Cast(row, x, RoundMode::CAST_NONE, count);
        PipeBarrier<PIPE_V>();
        Muls(row, row, tiling_.scale, count);
        PipeBarrier<PIPE_V>();
        ReduceMax(result, row, work, count, false);
        const float largest = Read(result);
        Adds(row, row, -largest, count);
        PipeBarrier<PIPE_V>();
        Exp(row, row, count);
        PipeBarrier<PIPE_V>();
        ReduceSum(result, row, work, count);
        const float sum = Read(result);
        Muls(row, row, 1.0f / sum, count);
        PipeBarrier<PIPE_V>();
        Cast(y, row, RoundMode::CAST_RINT, count);
        outQueue_.EnQue(y);
        inQueue_.FreeTensor(x);
    }

    __aicore__ inline float Read(const LocalTensor<float>& result) {
        event_t done = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::V_S));
        SetFlag<HardEvent::V_S>(done);
        WaitFlag<HardEvent::V_S>(done);
        return result.GetValue(0);
    }

    __aicore__ inline void CopyOut(uint32_t row) {
        LocalTensor<T> y = outQueue_.DeQue<T>();
        DataCopyExtParams params{1, static_cast<uint32_t>(tiling_.columns * sizeof(T)), 0, 0, 0};
        DataCopyPad(yGm_[row * tiling_.columns], y, params);
        outQueue_.FreeTensor(y);
    }

    RowSoftmaxTiling tiling_;
    uint32_t padded_, first_, last_;
    GlobalTensor<T> xGm_, yGm_;
    TQue<QuePosition::VECIN, kBuffers> inQueue_;
    TQue<QuePosition::VECOUT, kBuffers> outQueue_;
    TBuf<QuePosition::VECCALC> rowBuffer_, workBuffer_, resultBuffer_;
};

extern "C" __global__ __aicore__ void row_softmax(GM_ADDR x, GM_ADDR y, GM_ADDR tiling) {
    REGISTER_TILING_DEFAULT(RowSoftmaxTiling);
    GET_TILING_DATA(tilingData, tiling);
    TPipe pipe;
    RowSoftmax<half> kernel;
    kernel.Init(x, y, tilingData, &pipe);
    kernel.Process();
}
