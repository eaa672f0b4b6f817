// SPDX-License-Identifier: Apache-2.0
// y[t] = x[0] + ... + x[t] along the first axis: docs/tutorial/07-a-ring-over-cores.md
#include "kernel_operator.h"

using namespace AscendC;

template <typename T>
class CumsumRing {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR flags, GM_ADDR workspace,
                                uint32_t rows, uint32_t cols, TPipe* pipe) {
        rows_ = rows;
        cols_ = cols;
        pitch_ = (cols + kBlockElems - 1) / kBlockElems * kBlockElems;
        chunkRows_ = kChunkElems / pitch_;
        const uint64_t elems = static_cast<uint64_t>(rows) * cols;
        const int64_t blocks = GetBlockNum();
        xGm_.SetGlobalBuffer((__gm__ T*)x, elems);
        yGm_.SetGlobalBuffer((__gm__ T*)y, elems);
        flagsGm_.SetGlobalBuffer((__gm__ int32_t*)flags, blocks * kFlagElems);
        mailGm_.SetGlobalBuffer((__gm__ T*)workspace, blocks * pitch_);
        pipe->InitBuffer(inQueue_, kBuffers, kChunkElems * sizeof(T));
        pipe->InitBuffer(outQueue_, kBuffers, kChunkElems * sizeof(T));
        pipe->InitBuffer(carryQueue_, 1, pitch_ * sizeof(T));
        pipe->InitBuffer(sendQueue_, 1, pitch_ * sizeof(T));
        pipe->InitBuffer(flag_, kFlagElems * sizeof(int32_t));
    }

    __aicore__ inline void Process() {
        const uint32_t chunks = (rows_ + chunkRows_ - 1) / chunkRows_;
        for (uint32_t chunk = GetBlockIdx(); chunk < chunks; chunk += GetBlockNum()) {
            const uint32_t row = chunk * chunkRows_;
            const uint32_t count = rows_ - row < chunkRows_ ? rows_ - row : chunkRows_;
            CopyIn(row, count);
            LocalTensor<T> x = inQueue_.DeQue<T>();
            AddUp(x, count);
            LocalTensor<T> carry = Receive(chunk);
            if (chunk + 1 < chunks) {
                Send(x[(count - 1) * pitch_], carry);  // before CopyOut: the next core waits for it
            }
            CopyOut(x, carry, row, count);
            carryQueue_.FreeTensor(carry);
            inQueue_.FreeTensor(x);
        }
    }

private:
    static constexpr int32_t kBuffers = 2;
    static constexpr uint32_t kBlockElems = 32 / sizeof(T);
    static constexpr uint32_t kChunkElems = 4096;
    static constexpr uint32_t kFlagElems = 8;  // 32 B for each core

    __aicore__ inline void CopyIn(uint32_t row, uint32_t count) {
        LocalTensor<T> in = inQueue_.AllocTensor<T>();
        DataCopyPad(in, xGm_[static_cast<uint64_t>(row) * cols_],
                    DataCopyExtParams(count, cols_ * sizeof(T), 0, 0, 0),
                    DataCopyPadExtParams<T>(false, 0, 0, 0));
        inQueue_.EnQue(in);
    }

    /// Computes the sums inside the chunk: all cores do this at the same time.
    __aicore__ inline void AddUp(const LocalTensor<T>& x, uint32_t count) {
        for (uint32_t row = 1; row < count; ++row) {
            Add(x[row * pitch_], x[row * pitch_], x[(row - 1) * pitch_], cols_);
            PipeBarrier<PIPE_V>();
        }
    }

    /// Gets the sum of all chunks before this one from the core on the left.
    __aicore__ inline LocalTensor<T> Receive(uint32_t chunk) {
        LocalTensor<T> carry = carryQueue_.AllocTensor<T>();
        if (chunk > 0) {
            const int64_t left = (GetBlockIdx() + GetBlockNum() - 1) % GetBlockNum();
            IBWait(flagsGm_, flag_.Get<int32_t>(), left, 0);
            DataCopyPad(carry, mailGm_[left * pitch_],
                        DataCopyExtParams(1, cols_ * sizeof(T), 0, 0, 0),
                        DataCopyPadExtParams<T>(false, 0, 0, 0));
        } else {
            Duplicate(carry, static_cast<T>(0), cols_);
            PipeBarrier<PIPE_V>();
        }
        carryQueue_.EnQue(carry);
        return carryQueue_.DeQue<T>();
    }

    /// Sends the sum of all chunks up to this one to the core on the right.
    __aicore__ inline void Send(const LocalTensor<T>& lastRow, const LocalTensor<T>& carry) {
        LocalTensor<T> send = sendQueue_.AllocTensor<T>();
        Add(send, lastRow, carry, cols_);
        sendQueue_.EnQue(send);
        send = sendQueue_.DeQue<T>();
        DataCopyPad(mailGm_[GetBlockIdx() * pitch_], send,
                    DataCopyExtParams(1, cols_ * sizeof(T), 0, 0, 0));
        sendQueue_.FreeTensor(send);
        IBSet(flagsGm_, flag_.Get<int32_t>(), GetBlockIdx(), 0);
    }

    __aicore__ inline void CopyOut(const LocalTensor<T>& x, const LocalTensor<T>& carry,
                                   uint32_t row, uint32_t count) {
        LocalTensor<T> out = outQueue_.AllocTensor<T>();
        for (uint32_t i = 0; i < count; ++i) {
            Add(out[i * pitch_], x[i * pitch_], carry, cols_);
        }
        outQueue_.EnQue(out);
        out = outQueue_.DeQue<T>();
        DataCopyPad(yGm_[static_cast<uint64_t>(row) * cols_], out,
                    DataCopyExtParams(count, cols_ * sizeof(T), 0, 0, 0));
        outQueue_.FreeTensor(out);
    }

    uint32_t rows_ = 0;
    uint32_t cols_ = 0;
    uint32_t pitch_ = 0;      // elements from row to row in UB
    uint32_t chunkRows_ = 0;  // rows of a whole chunk
    GlobalTensor<T> xGm_;
    GlobalTensor<T> yGm_;
    GlobalTensor<int32_t> flagsGm_;
    GlobalTensor<T> mailGm_;
    TQue<TPosition::VECIN, kBuffers> inQueue_;
    TQue<TPosition::VECOUT, kBuffers> outQueue_;
    TQue<TPosition::VECIN, 1> carryQueue_;
    TQue<TPosition::VECOUT, 1> sendQueue_;
    TBuf<TPosition::VECCALC> flag_;
};

template <typename T>
__aicore__ inline void Run(GM_ADDR x, GM_ADDR y, GM_ADDR flags, GM_ADDR workspace, uint32_t rows,
                           uint32_t cols) {
    TPipe pipe;
    CumsumRing<T> kernel;
    kernel.Init(x, y, flags, workspace, rows, cols, &pipe);
    kernel.Process();
}

extern "C" __global__ __aicore__ void cumsum_float(GM_ADDR x, GM_ADDR y, GM_ADDR flags,
                                                   uint32_t rows, uint32_t cols,
                                                   GM_ADDR workspace) {
    Run<float>(x, y, flags, GetUserWorkspace(workspace), rows, cols);
}

extern "C" __global__ __aicore__ void cumsum_int32(GM_ADDR x, GM_ADDR y, GM_ADDR flags,
                                                   uint32_t rows, uint32_t cols,
                                                   GM_ADDR workspace) {
    Run<int32_t>(x, y, flags, GetUserWorkspace(workspace), rows, cols);
}
