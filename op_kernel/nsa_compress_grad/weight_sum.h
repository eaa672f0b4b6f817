// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_NSA_COMPRESS_GRAD_WEIGHT_SUM_H
#define OP_KERNEL_NSA_COMPRESS_GRAD_WEIGHT_SUM_H

#include "../common/copy.h"
#include "../common/strided_writer.h"
#include "kernel_operator.h"
#include "split.h"
#include "transpose_squares.h"

namespace ops::NsaCompressGradOp {

/// Computes weightGrad from the partial sums in the workspace. A block processes 16 heads at a
/// time. Partial sums of a group are added as a binary tree, whose shape depends on their number.
template <typename T>
class WeightSum {
public:
    __aicore__ inline WeightSum() {}

    __aicore__ inline void Init(GM_ADDR partials, GM_ADDR weightGrad,
                                const NsaCompressGradTilingData* tiling, AscendC::TPipe* pipe) {
        tiling_ = tiling;
        split_.Init(*tiling);
        partialsGm_.SetGlobalBuffer((__gm__ float*)partials);
        weightGradGm_.SetGlobalBuffer((__gm__ T*)weightGrad);
        const uint32_t elems = kSumHeads * tiling->blockSize;
        pipe->InitBuffer(in_, 1, kSlotsBytes);
        pipe->InitBuffer(sums_, elems * sizeof(float));
        pipe->InitBuffer(narrow_, elems * sizeof(T));
        pipe->InitBuffer(out_, 1, elems * sizeof(T));
        writer_.Init(tiling->weightGradStrides[1] == 1 ? 0 : tiling->blockSize, 1, pipe);
    }

    __aicore__ inline void Process() {
        const int64_t parts = CeilDiv(tiling_->heads, kSumHeads);
        for (int64_t part = AscendC::GetBlockIdx(); part < parts; part += AscendC::GetBlockNum()) {
            const int64_t firstHead = part * kSumHeads;
            const uint32_t heads =
                static_cast<uint32_t>(Min(kSumHeads, tiling_->heads - firstHead));
            AddHeads(firstHead, heads);
            Write(firstHead, heads);
        }
    }

private:
    static constexpr uint32_t kSlotsBytes = 128 * 1024;

    __aicore__ inline void AddHeads(int64_t firstHead, uint32_t heads) {
        const AscendC::LocalTensor<float> sums = sums_.Get<float>();
        AscendC::Duplicate(sums, 0.0f, static_cast<int32_t>(kSumHeads * tiling_->blockSize));
        AscendC::PipeBarrier<PIPE_V>();
        // headsPerGroup divides 16 or is all heads, so `heads` always contains whole groups.
        for (uint32_t head = 0; head < heads; head += tiling_->headsPerGroup) {
            AddGroup(sums[head * tiling_->blockSize], (firstHead + head) / tiling_->headsPerGroup,
                     static_cast<uint32_t>(Min(tiling_->headsPerGroup, heads - head)));
        }
    }

    __aicore__ inline void AddGroup(const AscendC::LocalTensor<float>& sum, int64_t group,
                                    uint32_t heads) {
        const uint32_t floats = heads * tiling_->blockSize;
        const int64_t most = kSlotsBytes / sizeof(float) / floats;
        const int64_t end = split_.EndSlot(group);
        for (int64_t slot = split_.FirstSlot(group); slot < end; slot += most) {
            const uint32_t slots = static_cast<uint32_t>(Min(most, end - slot));
            AscendC::LocalTensor<float> in = CopyIn(slot, slots, floats);
            for (uint32_t left = slots; left > 1;) {
                const uint32_t half = (left + 1) / 2;
                AscendC::Add(in, in, in[half * floats],
                             static_cast<int32_t>((left - half) * floats));
                AscendC::PipeBarrier<PIPE_V>();
                left = half;
            }
            AscendC::Add(sum, sum, in, static_cast<int32_t>(floats));
            AscendC::PipeBarrier<PIPE_V>();
            in_.FreeTensor(in);
        }
    }

    __aicore__ inline AscendC::LocalTensor<float> CopyIn(int64_t slot, uint32_t slots,
                                                         uint32_t floats) {
        AscendC::LocalTensor<float> in = in_.AllocTensor<float>();
        const uint32_t slotFloats = tiling_->headsPerGroup * tiling_->blockSize;
        LoadRows(in, partialsGm_[slot * slotFloats], Rows(slots, floats, slotFloats));
        in_.EnQue(in);
        return in_.DeQue<float>();
    }

    /// Writes the sums to weightGrad. The head is the inner index of weightGrad, but the outer
    /// index of the sums.
    __aicore__ inline void Write(int64_t firstHead, uint32_t heads) {
        const int64_t* strides = tiling_->weightGradStrides;
        const AscendC::GlobalTensor<T> gm = weightGradGm_[firstHead * strides[1]];
        if (strides[1] != 1) {
            return WriteColumns(gm, heads);
        }
        const uint32_t size = tiling_->blockSize;
        const AscendC::LocalTensor<T> narrow = narrow_.Get<T>();
        AscendC::Cast(narrow, sums_.Get<float>(), AscendC::RoundMode::CAST_RINT, kSumHeads * size);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::LocalTensor<T> out = out_.template AllocTensor<T>();
        TransposeSquares(out, kSquareEdge, kSquareEdge * kSquareEdge, narrow, size, kSquareEdge,
                         size / kSquareEdge);
        out_.EnQue(out);
        out = out_.template DeQue<T>();
        // In UB each row fills one block, so there is no gap between rows of up to 16 heads.
        StoreRows(gm, out, Rows(size, heads, strides[0]));
        out_.FreeTensor(out);
    }

    /// Writes weightGrad head by head, with the stride of its rows. If this stride is 1, MTE3 reads
    /// `out` directly.
    __aicore__ inline void WriteColumns(const AscendC::GlobalTensor<T>& gm, uint32_t heads) {
        const uint32_t size = tiling_->blockSize;
        const int64_t* strides = tiling_->weightGradStrides;
        AscendC::LocalTensor<T> out = out_.template AllocTensor<T>();
        AscendC::Cast(out, sums_.Get<float>(), AscendC::RoundMode::CAST_RINT, kSumHeads * size);
        AscendC::PipeBarrier<PIPE_V>();
        out_.EnQue(out);
        out = out_.template DeQue<T>();
        for (uint32_t head = 0; head < heads; ++head) {
            writer_.Write(gm[head * strides[1]], strides[0], out[head * size], size);
        }
        out_.FreeTensor(out);
    }

    const NsaCompressGradTilingData* tiling_;
    Split split_;
    StridedWriter writer_;
    AscendC::GlobalTensor<float> partialsGm_;
    AscendC::GlobalTensor<T> weightGradGm_;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> in_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> sums_;    ///< shape [16 heads][blockSize]
    AscendC::TBuf<AscendC::TPosition::VECCALC> narrow_;  ///< the sums, rounded to T
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_;   ///< shape [blockSize][16 heads]
};

}  // namespace ops::NsaCompressGradOp

#endif  // OP_KERNEL_NSA_COMPRESS_GRAD_WEIGHT_SUM_H
