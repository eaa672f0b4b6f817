// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_TOKEN_PROBS_H
#define OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_TOKEN_PROBS_H

#include "../common/copy.h"
#include "../common/strided_writer.h"
#include "../moe_token_permute_with_routing_map_tiling.h"
#include "bits.h"
#include "kernel_operator.h"
#include "routed_tile.h"

namespace ops::MoeTokenPermuteWithRoutingMapOp {

/// Copies the probs of a few tokens to the output, one by one. If a block has few tokens, an expert
/// rarely gets two of them, so there are no runs to collect (see ExpertRuns).
template <typename T>
class TokenProbs {
public:
    __aicore__ inline void Init(GM_ADDR probs, GM_ADDR permuted, const TilingData* tiling,
                                AscendC::TPipe* pipe, StridedWriter* writer) {
        experts_ = tiling->experts;
        rows_.Init(experts_);
        outRows_ = static_cast<int32_t>(tiling->outRows);
        stride_ = tiling->probStride;
        writer_ = writer;
        probsGm_.SetGlobalBuffer((__gm__ T*)probs, tiling->tokens * experts_);
        permutedGm_.SetGlobalBuffer((__gm__ T*)permuted);
        pipe->InitBuffer(in_, 1, tiling->tileElems * sizeof(T));
        pipe->InitBuffer(picked_, tiling->tileElems * sizeof(T));
    }

    __aicore__ inline void CopyIn(const Rect& rect) {
        AscendC::LocalTensor<T> in = in_.template AllocTensor<T>();
        rows_.Load(in, probsGm_[rect.row * experts_ + rect.col], rect.rows, rect.cols, rect.Pitch(),
                   NoPadding<T>());
        in_.EnQue(in);
    }

    /// Writes the probs of the elements that `tile` has found in the rectangle.
    __aicore__ inline void Place(const Rect& rect, RoutedTile* tile) {
        using Word = T;  // GatherMask reads mask words as wide as the data
        AscendC::LocalTensor<T> in = in_.template DeQue<T>();
        const AscendC::LocalTensor<T> picked = picked_.Get<T>();
        uint64_t kept = 0;
        AscendC::GatherMask(picked, in, tile->template Bits<Word>(), true, rect.Elems(),
                            OneRepeat(), kept);
        in_.FreeTensor(in);
        AscendC::PipeBarrier<PIPE_V>();
        const AscendC::DataCopyExtParams one(1, sizeof(T), 0, 0, 0);
        for (uint32_t done = 0; done < tile->Kept(); done += kStageElems) {
            const uint32_t count = writer_->PieceOf(tile->Kept() - done);
            AscendC::LocalTensor<T> blocks = writer_->Spread(picked[done], count);
            for (uint32_t i = 0; i < count; ++i) {
                const int32_t target = tile->Targets().GetValue(done + i);
                if (target < outRows_) {
                    AscendC::DataCopyPad(permutedGm_[target * stride_],
                                         blocks[i * kElemsPerBlock<T>], one);
                }
            }
            writer_->Free(blocks);
        }
    }

    __aicore__ inline const AscendC::GlobalTensor<T>& Permuted() const { return permutedGm_; }

private:
    int64_t experts_;
    int64_t stride_;
    int32_t outRows_;
    StridedWriter* writer_;
    ApartRows<T> rows_;
    AscendC::GlobalTensor<T> probsGm_;
    AscendC::GlobalTensor<T> permutedGm_;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> in_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> picked_;
};

}  // namespace ops::MoeTokenPermuteWithRoutingMapOp

#endif  // OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_TOKEN_PROBS_H
