// SPDX-License-Identifier: Apache-2.0
// table[index[t]] += grad[t] for every token t: docs/tutorial/04-embedding-gradient.md
#include "kernel_operator.h"

using namespace AscendC;

class EmbeddingGrad {
public:
    __aicore__ inline void Init(GM_ADDR grad, GM_ADDR index, GM_ADDR table, uint32_t tokens,
                                uint32_t vocab, uint32_t dim, TPipe* pipe) {
        tokens_ = tokens;
        vocab_ = vocab;
        dim_ = dim;
        gradGm_.SetGlobalBuffer((__gm__ float*)grad, static_cast<uint64_t>(tokens) * dim);
        indexGm_.SetGlobalBuffer((__gm__ int32_t*)index, tokens);
        tableGm_.SetGlobalBuffer((__gm__ float*)table, static_cast<uint64_t>(vocab) * dim);
        pipe->InitBuffer(rows_, kBuffers, dim * sizeof(float));
        pipe->InitBuffer(index_, kIndexTile * sizeof(int32_t));
    }

    __aicore__ inline void Process() {
        Clear();
        SyncAll();  // no core adds to a row that another one has not cleared yet
        const uint32_t begin = First(tokens_, GetBlockIdx());
        const uint32_t end = First(tokens_, GetBlockIdx() + 1);
        SetAtomicAdd<float>();
        for (uint32_t token = begin; token < end; token += kIndexTile) {
            Scatter(token, end - token < kIndexTile ? end - token : kIndexTile);
        }
        SetAtomicNone();
    }

private:
    static constexpr int32_t kBuffers = 4;
    static constexpr uint32_t kIndexTile = 1024;

    /// Returns the start of a block's share. The sizes of the shares differ by at most one.
    __aicore__ inline uint32_t First(uint32_t total, uint32_t block) const {
        const uint32_t blocks = GetBlockNum();
        const uint32_t larger = block < total % blocks ? block : total % blocks;
        return total / blocks * block + larger;
    }

    /// Clears this block's rows of the table.
    __aicore__ inline void Clear() {
        const uint64_t begin = static_cast<uint64_t>(First(vocab_, GetBlockIdx())) * dim_;
        const uint64_t end = static_cast<uint64_t>(First(vocab_, GetBlockIdx() + 1)) * dim_;
        if (begin < end) {
            InitOutput<float>(tableGm_[begin], end - begin, 0.0f);
        }
    }

    __aicore__ inline void Scatter(uint32_t token, uint32_t count) {
        LocalTensor<int32_t> index = index_.Get<int32_t>();
        DataCopyPad(index, indexGm_[token], DataCopyExtParams(1, count * sizeof(int32_t), 0, 0, 0),
                    DataCopyPadExtParams<int32_t>(false, 0, 0, 0));
        // A queue orders MTE2 with V or MTE3, but not with the scalar unit. The scalar unit reads
        // the indices, so the kernel needs a flag.
        const event_t loaded = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::MTE2_S));
        SetFlag<HardEvent::MTE2_S>(loaded);
        WaitFlag<HardEvent::MTE2_S>(loaded);
        for (uint32_t i = 0; i < count; ++i) {
            const uint64_t row = index.GetValue(i);
            CopyIn(static_cast<uint64_t>(token + i) * dim_);
            AddTo(row * dim_);
        }
    }

    __aicore__ inline void CopyIn(uint64_t begin) {
        LocalTensor<float> row = rows_.AllocTensor<float>();
        DataCopyPad(row, gradGm_[begin], DataCopyExtParams(1, dim_ * sizeof(float), 0, 0, 0),
                    DataCopyPadExtParams<float>(false, 0, 0, 0));
        rows_.EnQue(row);
    }

    __aicore__ inline void AddTo(uint64_t begin) {
        LocalTensor<float> row = rows_.DeQue<float>();
        DataCopyPad(tableGm_[begin], row, DataCopyExtParams(1, dim_ * sizeof(float), 0, 0, 0));
        rows_.FreeTensor(row);
    }

    uint32_t tokens_ = 0;
    uint32_t vocab_ = 0;
    uint32_t dim_ = 0;
    GlobalTensor<float> gradGm_;
    GlobalTensor<int32_t> indexGm_;
    GlobalTensor<float> tableGm_;
    // The vector unit does not use these data: MTE2 passes them to MTE3.
    TQueBind<TPosition::VECIN, TPosition::VECOUT, kBuffers> rows_;
    TBuf<TPosition::VECCALC> index_;
};

extern "C" __global__ __aicore__ void embedding_grad(GM_ADDR grad, GM_ADDR index, GM_ADDR table,
                                                     uint32_t tokens, uint32_t vocab,
                                                     uint32_t dim) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
    TPipe pipe;
    EmbeddingGrad kernel;
    kernel.Init(grad, index, table, tokens, vocab, dim, &pipe);
    kernel.Process();
}
