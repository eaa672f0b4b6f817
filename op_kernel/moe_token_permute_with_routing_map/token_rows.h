// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_TOKEN_ROWS_H
#define OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_TOKEN_ROWS_H

#include "../common/copy.h"
#include "../common/shares.h"
#include "../common/strided_writer.h"
#include "../common/sync.h"
#include "../moe_token_permute_with_routing_map_tiling.h"
#include "kernel_operator.h"

namespace ops::MoeTokenPermuteWithRoutingMapOp {

/// Moves rows of tokens, or this block's columns of these rows, through UB to permuteTokens.
/// Buffers go from MTE2 directly to MTE3; V reads them only if columns have a stride. MTE3 waits
/// for V's result, so V does not use a buffer any more when MTE3 frees it.
template <typename T>
class TokenRows {
public:
    /// `columns` are the columns that this block moves of every row.
    __aicore__ inline void Init(GM_ADDR tokens, GM_ADDR permuted, const TilingData* tiling,
                                const Range& columns, AscendC::TPipe* pipe, StridedWriter* writer) {
        tiling_ = tiling;
        columns_ = columns;
        writer_ = writer;
        tokensGm_.SetGlobalBuffer((__gm__ T*)tokens, tiling->tokens * tiling->hidden);
        permutedGm_.SetGlobalBuffer((__gm__ T*)permuted);
        const int64_t most = tiling->rowBytes / sizeof(T);
        colStep_ = Min(RoundUp(columns.Size(), kElemsPerBlock<T>), most);
        rowStep_ = most / colStep_;
        pipe->InitBuffer(rows_, 2, tiling->rowBytes);
    }

    /// Returns the number of columns of a row that one buffer can contain.
    __aicore__ inline int64_t ColStep() const { return colStep_; }
    /// Returns the number of rows that one buffer can contain; 1 if a row does not fit into it.
    __aicore__ inline int64_t RowStep() const { return rowStep_; }
    __aicore__ inline const Range& Columns() const { return columns_; }

    __aicore__ inline AscendC::LocalTensor<T> Alloc() { return rows_.template AllocTensor<T>(); }

    /// Loads `rows` tokens, from number `token` on, into the buffer's rows from row `at` on.
    __aicore__ inline void Read(const AscendC::LocalTensor<T>& buffer, uint32_t at, int64_t token,
                                uint32_t rows, const Range& cols) {
        LoadRows(buffer[at * PitchOf(cols)], tokensGm_[token * tiling_->hidden + cols.begin],
                 Rows(rows, static_cast<uint32_t>(cols.Size()), tiling_->hidden));
    }

    /// Passes the buffer from MTE2, which loads it, to MTE3 (and V), which read it.
    __aicore__ inline AscendC::LocalTensor<T> Turn(AscendC::LocalTensor<T>& buffer) {
        rows_.EnQue(buffer);
        AscendC::LocalTensor<T> turned = rows_.template DeQue<T>();
        if (tiling_->colStride != 1) {
            Sync<AscendC::HardEvent::MTE2_V>();
        }
        return turned;
    }

    __aicore__ inline void Free(AscendC::LocalTensor<T>& buffer) { rows_.FreeTensor(buffer); }

    /// Copies row `at` of the buffer to the output rows targets[first..end), but not to targets
    /// after the output's end.
    __aicore__ inline void Scatter(const AscendC::LocalTensor<T>& buffer, uint32_t at,
                                   const Range& cols, const AscendC::LocalTensor<int32_t>& targets,
                                   uint32_t first, uint32_t end) {
        const AscendC::LocalTensor<T> row = buffer[at * PitchOf(cols)];
        if (tiling_->colStride == 1) {
            for (uint32_t i = first; i < end; ++i) {
                const int64_t target = targets.GetValue(i);
                if (target < tiling_->outRows) {
                    Store(permutedGm_[OffsetOf(target, cols.begin)], row,
                          static_cast<uint32_t>(cols.Size()));
                }
            }
            return;
        }
        for (int64_t col = 0; col < cols.Size(); col += kStageElems) {
            const uint32_t piece = writer_->PieceOf(cols.Size() - col);
            AscendC::LocalTensor<T> blocks = writer_->Spread(row[col], piece);
            for (uint32_t i = first; i < end; ++i) {
                const int64_t target = targets.GetValue(i);
                if (target < tiling_->outRows) {
                    writer_->WriteBlocks(permutedGm_[OffsetOf(target, cols.begin + col)],
                                         tiling_->colStride, blocks, piece);
                }
            }
            writer_->Free(blocks);
        }
    }

    /// Copies `rows` rows of the buffer to the same number of consecutive rows of the output.
    __aicore__ inline void StoreTokens(const AscendC::LocalTensor<T>& buffer, int64_t target,
                                       uint32_t rows, const Range& cols) {
        const auto count = static_cast<uint32_t>(cols.Size());
        if (tiling_->colStride == 1) {
            StoreRows(permutedGm_[OffsetOf(target, cols.begin)], buffer,
                      Rows(rows, count, tiling_->rowStride));
            return;
        }
        for (uint32_t i = 0; i < rows; ++i) {
            writer_->Write(permutedGm_[OffsetOf(target + i, cols.begin)], tiling_->colStride,
                           buffer[i * PitchOf(cols)], count);
        }
    }

private:
    __aicore__ inline uint32_t PitchOf(const Range& cols) const {
        return static_cast<uint32_t>(RoundUp(cols.Size(), kElemsPerBlock<T>));
    }
    __aicore__ inline int64_t OffsetOf(int64_t row, int64_t col) const {
        return row * tiling_->rowStride + col * tiling_->colStride;
    }

    const TilingData* tiling_;
    Range columns_;
    int64_t colStep_;
    int64_t rowStep_;
    StridedWriter* writer_;
    AscendC::GlobalTensor<T> tokensGm_;
    AscendC::GlobalTensor<T> permutedGm_;
    AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 2> rows_;
};

}  // namespace ops::MoeTokenPermuteWithRoutingMapOp

#endif  // OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_TOKEN_ROWS_H
