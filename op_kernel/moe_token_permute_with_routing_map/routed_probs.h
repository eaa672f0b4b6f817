// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_TOKEN_PERMUTE_ROUTED_PROBS_H
#define OP_KERNEL_MOE_TOKEN_PERMUTE_ROUTED_PROBS_H

#include "elem_writer.h"
#include "routed_tile.h"

namespace MoeTokenPermute {

/// Probs of the routed elements of a tile, to their places in the output.
template <typename T>
class RoutedProbs {
public:
    __aicore__ inline void Init(GM_ADDR probs, GM_ADDR permuted, const TilingData* tiling,
                                AscendC::TPipe* pipe, ElemWriter* writer) {
        tiling_ = tiling;
        writer_ = writer;
        probsGm_.SetGlobalBuffer((__gm__ T*)probs, tiling->tokens * tiling->experts);
        permutedGm_.SetGlobalBuffer((__gm__ T*)permuted);
        pipe->InitBuffer(in_, 1, tiling->tileElems * sizeof(T));
        pipe->InitBuffer(routed_, tiling->tileElems * sizeof(T));
    }

    __aicore__ inline void CopyIn(const Rect& rect) {
        AscendC::LocalTensor<T> in = in_.template AllocTensor<T>();
        AscendC::DataCopyPad(in, probsGm_[rect.row * tiling_->experts + rect.col], RunsOf(rect),
                             AscendC::DataCopyPadExtParams<T>(false, 0, 0, 0));
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
        for (uint32_t done = 0; done < kept; done += MOE_TOKEN_PERMUTE_STAGE) {
            const uint32_t piece = writer_->PieceOf(kept - done);
            AscendC::LocalTensor<T> blocks = writer_->Spread(routed[done], piece);
            for (uint32_t i = 0; i < piece; ++i) {
                const int64_t target = targets.GetValue(done + i);
                if (target < tiling_->outRows) {
                    writer_->WriteBlock(permutedGm_, target * tiling_->probStride, blocks, i);
                }
            }
            writer_->Free(blocks);
        }
    }

    __aicore__ inline const AscendC::GlobalTensor<T>& Permuted() const { return permutedGm_; }

private:
    /// Rows with the pitch of the map's tile, so that one set of bits fits both.
    __aicore__ inline AscendC::DataCopyExtParams RunsOf(const Rect& rect) const {
        const uint32_t bytes = rect.cols * sizeof(T);
        if (rect.cols == tiling_->experts && rect.Pitch() == rect.cols) {
            return Runs(1, rect.rows * bytes, 0, true);
        }
        AscendC::DataCopyExtParams runs =
            Runs(rect.rows, bytes, (tiling_->experts - rect.cols) * sizeof(T), true);
        const uint32_t filled = static_cast<uint32_t>(CeilDiv(bytes, kBlockBytes));
        runs.dstStride = rect.Pitch() * sizeof(T) / kBlockBytes - filled;
        return runs;
    }

    const TilingData* tiling_;
    ElemWriter* writer_;
    AscendC::GlobalTensor<T> probsGm_;
    AscendC::GlobalTensor<T> permutedGm_;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> in_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> routed_;
};

}  // namespace MoeTokenPermute

#endif  // OP_KERNEL_MOE_TOKEN_PERMUTE_ROUTED_PROBS_H
