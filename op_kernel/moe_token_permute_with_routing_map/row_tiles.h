// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_ROW_TILES_H
#define OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_ROW_TILES_H

#include "../common/copy.h"
#include "../moe_token_permute_with_routing_map_tiling.h"
#include "apart_rows.h"
#include "kernel_operator.h"
#include "packed_gather.h"
#include "row_gather.h"

namespace ops::MoeTokenPermuteWithRoutingMapOp {

/// Tiles of short token rows. A tile is loaded once, and its rows are collected in any order.
template <typename T>
class RowTiles {
public:
    __aicore__ inline void Init(GM_ADDR tokens, GM_ADDR permuted, const TilingData* tiling,
                                AscendC::TPipe* pipe) {
        tiling_ = tiling;
        isPacked_ = tiling->packedRows != 0;
        pitch_ = isPacked_ ? static_cast<uint32_t>(tiling->hidden)
                           : tiling->rowBlocks * kElemsPerBlock<T>;
        tokensGm_.SetGlobalBuffer((__gm__ T*)tokens, tiling->tokens * tiling->hidden);
        permutedGm_.SetGlobalBuffer((__gm__ T*)permuted);
        pastL2Gm_.SetGlobalBuffer((__gm__ T*)permuted);
        pastL2Gm_.SetL2CacheHint(AscendC::CacheMode::CACHE_MODE_DISABLE);
        rowStride_ = tiling->rowStride;
        rowsInL2_ = static_cast<int32_t>(tiling->rowsInL2);
        rowBytes_ = static_cast<uint32_t>(tiling->hidden * sizeof(T));
        isOneRun_ = pitch_ == rowStride_ && pitch_ == tiling->hidden;
        const int64_t gap = (rowStride_ - tiling->hidden) * static_cast<int64_t>(sizeof(T));
        isOneCopy_ = gap >= 0 && gap <= UINT32_MAX;
        rows_.Init(tiling->hidden);
        if (isPacked_) {
            packed_.Init(tiling, pipe);
        } else {
            gather_.Init(tiling, pipe);
        }
        pipe->InitBuffer(in_, 1, tiling->runRows * pitch_ * sizeof(T));
        pipe->InitBuffer(out_, 2, tiling->pieceRows * pitch_ * sizeof(T));
    }

    /// Loads the rows of `rows` tokens.
    __aicore__ inline void CopyIn(int64_t token, uint32_t rows) {
        AscendC::LocalTensor<T> in = in_.template AllocTensor<T>();
        rows_.Load(in, tokensGm_[token * tiling_->hidden], rows,
                   static_cast<uint32_t>(tiling_->hidden), pitch_, NoPadding<T>());
        in_.EnQue(in);
    }

    /// Waits until the rows are loaded.
    __aicore__ inline void Begin() { rowsOfTile_ = in_.template DeQue<T>(); }
    /// Frees the rows.
    __aicore__ inline void End() { in_.FreeTensor(rowsOfTile_); }

    /// Collects the rows `numbers` of the tile, and overwrites the numbers.
    __aicore__ inline void Collect(const AscendC::LocalTensor<int32_t>& numbers, uint32_t count) {
        AscendC::Muls(numbers, numbers, static_cast<int32_t>(pitch_ * sizeof(T)),
                      static_cast<int32_t>(count));
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::LocalTensor<T> out = out_.template AllocTensor<T>();
        if (isPacked_) {
            packed_.Collect(out, rowsOfTile_, numbers, count);
        } else {
            gather_.Collect(out, rowsOfTile_, numbers, count);
        }
        out_.EnQue(out);
    }

    /// Returns the oldest collected rows that were not taken yet.
    __aicore__ inline AscendC::LocalTensor<T> Take() { return out_.template DeQue<T>(); }
    __aicore__ inline void Free(AscendC::LocalTensor<T>& out) { out_.FreeTensor(out); }

    /// Returns the parameters of copies to the output. Store() sets the number of rows.
    __aicore__ inline AscendC::DataCopyExtParams Params() const {
        const uint32_t blocks = static_cast<uint32_t>(CeilDiv(rowBytes_, kBlockBytes));
        const uint32_t ubGap = isPacked_ ? 0 : pitch_ / kElemsPerBlock<T> - blocks;
        const int64_t gap =
            isOneCopy_ ? rowStride_ * static_cast<int64_t>(sizeof(T)) - rowBytes_ : 0;
        return AscendC::DataCopyExtParams(1, rowBytes_, ubGap, static_cast<uint32_t>(gap), 0);
    }

    /// Writes rows [at, at + rows) of `out` to the output's rows from `target` on.
    __aicore__ inline void Store(const AscendC::LocalTensor<T>& out, uint32_t at, int32_t target,
                                 uint32_t rows, AscendC::DataCopyExtParams* params) {
        const int64_t offset = target * rowStride_;
        const AscendC::LocalTensor<T> from = out[at * pitch_];
        if (isOneRun_) {
            params->blockLen = rows * rowBytes_;
        } else if (isOneCopy_) {
            params->blockCount = static_cast<uint16_t>(rows);
        } else {
            StoreRows(
                permutedGm_[offset], from,
                Rows(rows, static_cast<uint32_t>(tiling_->hidden), rowStride_, params->srcStride));
            return;
        }
        if (target < rowsInL2_) {
            AscendC::DataCopyPad(permutedGm_[offset], from, *params);
        } else {
            AscendC::DataCopyPad(pastL2Gm_[offset], from, *params);
        }
    }

private:
    const TilingData* tiling_;
    int64_t rowStride_;
    int32_t rowsInL2_;
    uint32_t rowBytes_;
    bool isOneRun_;   ///< rows have no gaps, neither in UB nor in GM
    bool isOneCopy_;  ///< a copy can express the gap between rows of the output
    uint32_t pitch_;  ///< elements from row to row in UB
    bool isPacked_;   ///< rows have no gaps in UB, although they are no multiple of 32 B
    ApartRows<T> rows_;
    RowGather<T> gather_;
    PackedGather<T> packed_;
    AscendC::LocalTensor<T> rowsOfTile_;
    AscendC::GlobalTensor<T> tokensGm_;
    AscendC::GlobalTensor<T> permutedGm_;
    AscendC::GlobalTensor<T> pastL2Gm_;  ///< the same output, for rows that bypass L2
    AscendC::TQue<AscendC::TPosition::VECIN, 1> in_;
    AscendC::TQue<AscendC::TPosition::VECOUT, 2> out_;
};

}  // namespace ops::MoeTokenPermuteWithRoutingMapOp

#endif  // OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_ROW_TILES_H
