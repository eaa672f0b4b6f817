// SPDX-License-Identifier: Apache-2.0
// y = softmax(x) along rows of up to 2032 columns: docs/tutorial/02-softmax.md
#include "kernel_operator.h"

using namespace AscendC;

template <typename T>
class Softmax {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint32_t rows, uint32_t cols, TPipe* pipe) {
        rows_ = rows;
        cols_ = cols;
        pitch_ = (cols + kBlockElems - 1) / kBlockElems * kBlockElems;
        rowBlocks_ = pitch_ / kSpread;
        tileRows_ = kTileElems / pitch_;
        tileRows_ = tileRows_ < kMaxRepeats ? tileRows_ : kMaxRepeats;
        const uint64_t elems = static_cast<uint64_t>(rows) * cols;
        xGm_.SetGlobalBuffer((__gm__ T*)x, elems);
        yGm_.SetGlobalBuffer((__gm__ T*)y, elems);
        pipe->InitBuffer(inQueue_, kBuffers, kTileElems * sizeof(T));
        pipe->InitBuffer(outQueue_, kBuffers, kTileElems * sizeof(T));
        pipe->InitBuffer(tile_, kTileElems * sizeof(float));
        pipe->InitBuffer(lanes_, kMaxRepeats * kLanes * sizeof(float));
        pipe->InitBuffer(perRow_, kMaxRepeats * sizeof(float));
        pipe->InitBuffer(spread_, kMaxRepeats * kSpread * sizeof(float));
        // Brcb reads eight rows at a time, even if the last tile has fewer.
        Duplicate(perRow_.Get<float>(), 1.0f, kMaxRepeats);
    }

    __aicore__ inline void Process() {
        for (uint32_t row = GetBlockIdx() * tileRows_; row < rows_;
             row += GetBlockNum() * tileRows_) {
            const uint32_t count = rows_ - row < tileRows_ ? rows_ - row : tileRows_;
            CopyIn(row, count);
            Compute(count);
            CopyOut(row, count);
        }
    }

private:
    static constexpr int32_t kBuffers = 2;
    static constexpr uint32_t kTileElems = 4096;
    static constexpr uint32_t kBlockElems = 32 / sizeof(T);
    static constexpr uint32_t kLanes = 64;  // floats of one repeat
    static constexpr uint32_t kSpread = 8;  // floats of one block of 32 B
    // The largest multiple of 8 below 256: a repeat count has 8 bits, and Brcb handles eight rows.
    static constexpr uint32_t kMaxRepeats = 248;
    static constexpr float kLowest = -3.4028235e38f;

    __aicore__ inline void CopyIn(uint32_t row, uint32_t count) {
        LocalTensor<T> in = inQueue_.AllocTensor<T>();
        DataCopyPad(in, xGm_[static_cast<uint64_t>(row) * cols_],
                    DataCopyExtParams(count, cols_ * sizeof(T), 0, 0, 0),
                    DataCopyPadExtParams<T>(false, 0, 0, 0));
        inQueue_.EnQue(in);
    }

    __aicore__ inline void Compute(uint32_t count) {
        LocalTensor<T> in = inQueue_.DeQue<T>();
        LocalTensor<float> x = Widened(in, count);
        LocalTensor<float> spread = spread_.Get<float>();
        RowMax(x, count);
        const BinaryRepeatParams byRow(1, 1, 0, rowBlocks_, rowBlocks_, 1);
        for (uint32_t col = 0; col < cols_; col += kLanes) {
            Sub(x[col], x[col], spread, Width(col), count, byRow);
        }
        PipeBarrier<PIPE_V>();
        for (uint32_t col = 0; col < cols_; col += kLanes) {
            Exp(x[col], x[col], Width(col), count, UnaryRepeatParams(1, 1, rowBlocks_, rowBlocks_));
        }
        RowSum(x, count);
        LocalTensor<T> out = outQueue_.AllocTensor<T>();
        Divide(out, x, count);
        outQueue_.EnQue(out);
        inQueue_.FreeTensor(in);
    }

    __aicore__ inline void CopyOut(uint32_t row, uint32_t count) {
        LocalTensor<T> out = outQueue_.DeQue<T>();
        DataCopyPad(yGm_[static_cast<uint64_t>(row) * cols_], out,
                    DataCopyExtParams(count, cols_ * sizeof(T), 0, 0, 0));
        outQueue_.FreeTensor(out);
    }

    /// Columns of the repeat that begins at `col`.
    __aicore__ inline uint64_t Width(uint32_t col) const {
        return cols_ - col < kLanes ? cols_ - col : kLanes;
    }

    /// Returns the tile as floats: converts half, and leaves float where it is.
    __aicore__ inline LocalTensor<float> Widened(const LocalTensor<T>& in, uint32_t count) {
        if constexpr (IsSameType<T, float>::value) {
            return in;
        } else {
            LocalTensor<float> x = tile_.Get<float>();
            PipeBarrier<PIPE_V>();  // the instructions of the previous tile have read x
            const UnaryRepeatParams strides(1, 1, rowBlocks_, pitch_ / kBlockElems);
            for (uint32_t col = 0; col < cols_; col += kLanes) {
                Cast(x[col], in[col], RoundMode::CAST_NONE, Width(col), count, strides);
            }
            return x;
        }
    }

    /// out = x / sum of the row, in the type of `out`.
    __aicore__ inline void Divide(const LocalTensor<T>& out, const LocalTensor<float>& x,
                                  uint32_t count) {
        LocalTensor<float> quotient = x;
        if constexpr (IsSameType<T, float>::value) {
            quotient = out;
        }
        const BinaryRepeatParams byRow(1, 1, 0, rowBlocks_, rowBlocks_, 1);
        for (uint32_t col = 0; col < cols_; col += kLanes) {
            Div(quotient[col], x[col], spread_.Get<float>(), Width(col), count, byRow);
        }
        if constexpr (!IsSameType<T, float>::value) {
            PipeBarrier<PIPE_V>();
            const UnaryRepeatParams strides(1, 1, pitch_ / kBlockElems, rowBlocks_);
            for (uint32_t col = 0; col < cols_; col += kLanes) {
                Cast(out[col], x[col], RoundMode::CAST_RINT, Width(col), count, strides);
            }
        }
    }

    /// Finds the largest element of each row, and fills a block of 32 B in spread_ with it.
    __aicore__ inline void RowMax(const LocalTensor<float>& x, uint32_t count) {
        LocalTensor<float> lanes = lanes_.Get<float>();
        Duplicate(lanes, kLowest, count * kLanes);
        PipeBarrier<PIPE_V>();  // lanes and x are ready
        const BinaryRepeatParams onLanes(1, 1, 1, kSpread, kSpread, rowBlocks_);
        for (uint32_t col = 0; col < cols_; col += kLanes) {
            Max(lanes, lanes, x[col], Width(col), count, onLanes);
            PipeBarrier<PIPE_V>();
        }
        WholeReduceMax(perRow_.Get<float>(), lanes, kLanes, count, 1, 1, kSpread,
                       ReduceOrder::ORDER_ONLY_VALUE);
        PipeBarrier<PIPE_V>();
        Spread(count);
    }

    /// Finds the sum of each row in the same way.
    __aicore__ inline void RowSum(const LocalTensor<float>& x, uint32_t count) {
        LocalTensor<float> lanes = lanes_.Get<float>();
        Duplicate(lanes, 0.0f, count * kLanes);
        PipeBarrier<PIPE_V>();  // lanes and x are ready
        const BinaryRepeatParams onLanes(1, 1, 1, kSpread, kSpread, rowBlocks_);
        for (uint32_t col = 0; col < cols_; col += kLanes) {
            Add(lanes, lanes, x[col], Width(col), count, onLanes);
            PipeBarrier<PIPE_V>();
        }
        WholeReduceSum(perRow_.Get<float>(), lanes, kLanes, count, 1, 1, kSpread);
        PipeBarrier<PIPE_V>();
        Spread(count);
    }

    /// Fills a block of 32 B with the float of each row; one repeat handles eight rows.
    __aicore__ inline void Spread(uint32_t count) {
        Brcb(spread_.Get<float>(), perRow_.Get<float>(), (count + kSpread - 1) / kSpread, {1, 8});
        PipeBarrier<PIPE_V>();
    }

    uint32_t rows_ = 0;
    uint32_t cols_ = 0;
    uint32_t pitch_ = 0;      // elements from row to row in UB
    uint32_t rowBlocks_ = 0;  // the same for floats, in blocks of 32 B
    uint32_t tileRows_ = 0;   // rows of a whole tile
    GlobalTensor<T> xGm_;
    GlobalTensor<T> yGm_;
    TQue<TPosition::VECIN, kBuffers> inQueue_;
    TQue<TPosition::VECOUT, kBuffers> outQueue_;
    TBuf<TPosition::VECCALC> tile_;
    TBuf<TPosition::VECCALC> lanes_;
    TBuf<TPosition::VECCALC> perRow_;
    TBuf<TPosition::VECCALC> spread_;
};

template <typename T>
__aicore__ inline void Run(GM_ADDR x, GM_ADDR y, uint32_t rows, uint32_t cols) {
    TPipe pipe;
    Softmax<T> kernel;
    kernel.Init(x, y, rows, cols, &pipe);
    kernel.Process();
}

extern "C" __global__ __aicore__ void softmax_half(GM_ADDR x, GM_ADDR y, uint32_t rows,
                                                   uint32_t cols) {
    Run<half>(x, y, rows, cols);
}

extern "C" __global__ __aicore__ void softmax_float(GM_ADDR x, GM_ADDR y, uint32_t rows,
                                                    uint32_t cols) {
    Run<float>(x, y, rows, cols);
}
