// SPDX-License-Identifier: Apache-2.0
// y = (x - mean) / sqrt(variance + eps) * gamma + beta, row by row: docs/tutorial/03-layer-norm.md
#include "kernel_operator.h"

using namespace AscendC;

/// T: half or bfloat16_t; everything is computed in float and rounded once.
template <typename T>
class LayerNormRows {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, uint32_t rows,
                                uint32_t cols, float eps, TPipe* pipe) {
        rows_ = rows;
        cols_ = cols;
        eps_ = eps;
        const uint64_t elems = static_cast<uint64_t>(rows) * cols;
        xGm_.SetGlobalBuffer((__gm__ T*)x, elems);
        yGm_.SetGlobalBuffer((__gm__ T*)y, elems);
        gammaGm_.SetGlobalBuffer((__gm__ T*)gamma, cols);
        betaGm_.SetGlobalBuffer((__gm__ T*)beta, cols);
        pipe->InitBuffer(inQueue_, kBuffers, cols * sizeof(T));
        pipe->InitBuffer(outQueue_, kBuffers, cols * sizeof(T));
        pipe->InitBuffer(gamma_, cols * sizeof(float));
        pipe->InitBuffer(beta_, cols * sizeof(float));
        pipe->InitBuffer(row_, cols * sizeof(float));
        pipe->InitBuffer(square_, cols * sizeof(float));
        pipe->InitBuffer(lanes_, kLanes * sizeof(float));
        pipe->InitBuffer(sum_, sizeof(float));
    }

    __aicore__ inline void Process() {
        uint32_t row = GetBlockIdx();
        if (row >= rows_) {
            return;
        }
        CopyIn(gammaGm_);
        Widen(gamma_.Get<float>());
        CopyIn(betaGm_);
        Widen(beta_.Get<float>());
        CopyIn(xGm_[RowAt(row)]);
        for (; row < rows_; row += GetBlockNum()) {
            Widen(row_.Get<float>());
            // Do this before the scalar unit stops to wait for the sums of this row.
            if (row + GetBlockNum() < rows_) {
                CopyIn(xGm_[RowAt(row + GetBlockNum())]);
            }
            Normalize();
            CopyOut(yGm_[RowAt(row)]);
        }
    }

private:
    static constexpr int32_t kBuffers = 2;
    static constexpr uint32_t kLanes = 64;  // floats of one repeat

    __aicore__ inline uint64_t RowAt(uint32_t row) const {
        return static_cast<uint64_t>(row) * cols_;
    }

    __aicore__ inline void CopyIn(const GlobalTensor<T>& src) {
        LocalTensor<T> in = inQueue_.AllocTensor<T>();
        DataCopyPad(in, src, DataCopyExtParams(1, cols_ * sizeof(T), 0, 0, 0),
                    DataCopyPadExtParams<T>(false, 0, 0, 0));
        inQueue_.EnQue(in);
    }

    /// Converts the copied row to floats.
    __aicore__ inline void Widen(const LocalTensor<float>& dst) {
        LocalTensor<T> in = inQueue_.DeQue<T>();
        Cast(dst, in, RoundMode::CAST_NONE, cols_);
        inQueue_.FreeTensor(in);
    }

    __aicore__ inline void Normalize() {
        LocalTensor<float> x = row_.Get<float>();
        LocalTensor<float> square = square_.Get<float>();
        const float mean = Sum(x) / cols_;
        Adds(x, x, -mean, cols_);
        PipeBarrier<PIPE_V>();
        Mul(square, x, x, cols_);
        const float deviation = sqrt(Sum(square) / cols_ + eps_);
        Muls(x, x, 1.0f / deviation, cols_);
        PipeBarrier<PIPE_V>();
        Mul(x, x, gamma_.Get<float>(), cols_);
        PipeBarrier<PIPE_V>();
        Add(x, x, beta_.Get<float>(), cols_);
        PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void CopyOut(const GlobalTensor<T>& dst) {
        LocalTensor<T> out = outQueue_.AllocTensor<T>();
        Cast(out, row_.Get<float>(), RoundMode::CAST_RINT, cols_);
        outQueue_.EnQue(out);
        PipeBarrier<PIPE_V>();  // later, Widen overwrites row_, which Cast reads here
        out = outQueue_.DeQue<T>();
        DataCopyPad(dst, out, DataCopyExtParams(1, cols_ * sizeof(T), 0, 0, 0));
        outQueue_.FreeTensor(out);
    }

    /// Returns the sum of all values. V writes it to UB, so S waits for V before it reads the sum.
    __aicore__ inline float Sum(const LocalTensor<float>& values) {
        LocalTensor<float> lanes = lanes_.Get<float>();
        LocalTensor<float> sum = sum_.Get<float>();
        const uint32_t repeats = cols_ / kLanes;
        const uint32_t tail = cols_ % kLanes;
        Duplicate(lanes, 0.0f, kLanes);
        PipeBarrier<PIPE_V>();  // lanes and values are ready
        Add(lanes, values, lanes, kLanes, repeats, BinaryRepeatParams(1, 1, 1, 0, 8, 0));
        PipeBarrier<PIPE_V>();
        if (tail > 0) {
            Add(lanes, values[cols_ - tail], lanes, tail, 1, BinaryRepeatParams());
            PipeBarrier<PIPE_V>();
        }
        WholeReduceSum(sum, lanes, kLanes, 1, 1, 1, 8);
        const event_t done = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::V_S));
        SetFlag<HardEvent::V_S>(done);
        WaitFlag<HardEvent::V_S>(done);
        return sum.GetValue(0);
    }

    uint32_t rows_ = 0;
    uint32_t cols_ = 0;
    float eps_ = 0;
    GlobalTensor<T> xGm_;
    GlobalTensor<T> yGm_;
    GlobalTensor<T> gammaGm_;
    GlobalTensor<T> betaGm_;
    TQue<TPosition::VECIN, kBuffers> inQueue_;
    TQue<TPosition::VECOUT, kBuffers> outQueue_;
    TBuf<TPosition::VECCALC> gamma_;
    TBuf<TPosition::VECCALC> beta_;
    TBuf<TPosition::VECCALC> row_;
    TBuf<TPosition::VECCALC> square_;
    TBuf<TPosition::VECCALC> lanes_;
    TBuf<TPosition::VECCALC> sum_;
};

template <typename T>
__aicore__ inline void Run(GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, uint32_t rows,
                           uint32_t cols, float eps) {
    TPipe pipe;
    LayerNormRows<T> kernel;
    kernel.Init(x, gamma, beta, y, rows, cols, eps, &pipe);
    kernel.Process();
}

extern "C" __global__ __aicore__ void layer_norm_half(GM_ADDR x, GM_ADDR gamma, GM_ADDR beta,
                                                      GM_ADDR y, uint32_t rows, uint32_t cols,
                                                      float eps) {
    Run<half>(x, gamma, beta, y, rows, cols, eps);
}

extern "C" __global__ __aicore__ void layer_norm_bf16(GM_ADDR x, GM_ADDR gamma, GM_ADDR beta,
                                                      GM_ADDR y, uint32_t rows, uint32_t cols,
                                                      float eps) {
    Run<bfloat16_t>(x, gamma, beta, y, rows, cols, eps);
}
