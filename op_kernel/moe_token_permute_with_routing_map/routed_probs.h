// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_ROUTED_PROBS_H
#define OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_ROUTED_PROBS_H

#include "../common/copy.h"
#include "../common/strided_writer.h"
#include "../moe_token_permute_with_routing_map_tiling.h"
#include "bits.h"
#include "kernel_operator.h"
#include "routed_tile.h"

namespace ops::MoeTokenPermuteWithRoutingMapOp {

/// Probs of the routed elements of a tile, to their places in the output.
template <typename T>
class RoutedProbs {
public:
    __aicore__ inline void Init(GM_ADDR probs, GM_ADDR permuted, const TilingData* tiling,
                                AscendC::TPipe* pipe, StridedWriter* writer) {
        tiling_ = tiling;
        writer_ = writer;
        probsGm_.SetGlobalBuffer((__gm__ T*)probs, tiling->tokens * tiling->experts);
        permutedGm_.SetGlobalBuffer((__gm__ T*)permuted);
        pipe->InitBuffer(in_, 1, tiling->tileElems * sizeof(T));
        pipe->InitBuffer(routed_, tiling->tileElems * sizeof(T));
    }

    __aicore__ inline void CopyIn(const Rect& rect) {
        AscendC::LocalTensor<T> in = in_.template AllocTensor<T>();
        // Rows with the pitch of the map's tile, so that one set of bits fits both.
        LoadRows(in, probsGm_[rect.row * tiling_->experts + rect.col],
                 rect.RowsAtPitch<T>(tiling_->experts, rect.Pitch()));
        in_.EnQue(in);
    }

    __aicore__ inline void Place(const Rect& rect, RoutedTile* tile) {
        using Word = T;  // GatherMask wants its bits in words as wide as the data
        AscendC::LocalTensor<T> in = in_.template DeQue<T>();
        const AscendC::LocalTensor<T> routed = routed_.template Get<T>();
        uint64_t kept = 0;
        AscendC::GatherMask(routed, in, tile->template Bits<Word>(), true, rect.Elems(),
                            OneRepeat(), kept);
        AscendC::PipeBarrier<PIPE_V>();
        in_.FreeTensor(in);
        const AscendC::LocalTensor<int32_t>& targets = tile->Targets();
        for (uint32_t done = 0; done < kept; done += kStageElems) {
            const uint32_t piece = writer_->PieceOf(kept - done);
            AscendC::LocalTensor<T> blocks = writer_->Spread(routed[done], piece);
            for (uint32_t i = 0; i < piece; ++i) {
                const int64_t target = targets.GetValue(done + i);
                if (target < tiling_->outRows) {
                    writer_->WriteBlock(permutedGm_[target * tiling_->probStride], blocks, i);
                }
            }
            writer_->Free(blocks);
        }
    }

    __aicore__ inline const AscendC::GlobalTensor<T>& Permuted() const { return permutedGm_; }

private:
    const TilingData* tiling_;
    StridedWriter* writer_;
    AscendC::GlobalTensor<T> probsGm_;
    AscendC::GlobalTensor<T> permutedGm_;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> in_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> routed_;
};

}  // namespace ops::MoeTokenPermuteWithRoutingMapOp

#endif  // OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_ROUTED_PROBS_H
