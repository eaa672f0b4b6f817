// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_TOKEN_ROWS_H
#define OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_TOKEN_ROWS_H

#include "../common/copy.h"
#include "../common/shares.h"
#include "../common/strided_writer.h"
#include "../common/sync.h"
#include "../moe_token_permute_with_routing_map_tiling.h"
#include "bits.h"
#include "kernel_operator.h"

namespace ops::MoeTokenPermuteWithRoutingMapOp {

/// Loads some columns of tokens to rows of a buffer. Pad mode loads most rows one by one, so a load
/// computes nothing twice.
template <typename T>
class RowLoads {
public:
    __aicore__ inline RowLoads(const AscendC::GlobalTensor<T>& columns, int64_t hidden,
                               uint32_t elems, uint32_t pitch)
        : columns_(columns),
          hidden_(hidden),
          elems_(elems),
          pitch_(pitch),
          one_(1, elems * sizeof(T), 0, 0, 0),
          none_(false, 0, 0, T()) {}

    /// Loads `rows` tokens, from number `token` on, into the buffer's rows from row `at` on.
    __aicore__ inline void Load(const AscendC::LocalTensor<T>& buffer, uint32_t at, int64_t token,
                                uint32_t rows) const {
        if (rows == 1) {
            AscendC::DataCopyPad(buffer[at * pitch_], columns_[token * hidden_], one_, none_);
        } else {
            LoadRows(buffer[at * pitch_], columns_[token * hidden_], Rows(rows, elems_, hidden_));
        }
    }

private:
    AscendC::GlobalTensor<T> columns_;
    int64_t hidden_;
    uint32_t elems_;
    uint32_t pitch_;
    AscendC::DataCopyExtParams one_;
    AscendC::DataCopyPadExtParams<T> none_;
};

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
        rowsInL2_ = tiling->rowsInL2;
        pastL2Gm_.SetGlobalBuffer((__gm__ T*)permuted);
        pastL2Gm_.SetL2CacheHint(AscendC::CacheMode::CACHE_MODE_DISABLE);
        if (tiling->readsPastL2 != 0) {
            tokensGm_.SetL2CacheHint(AscendC::CacheMode::CACHE_MODE_DISABLE);
        }
        const int64_t most = tiling->rowBytes / sizeof(T);
        // Columns that do not fit into a buffer are divided into equal steps.
        const int64_t steps = CeilDiv(columns.Size(), most);
        colStep_ = Min(RoundUp(CeilDiv(columns.Size(), steps), kLineBytes / sizeof(T)), most);
        rowStep_ = most / colStep_;
        pipe->InitBuffer(rows_, 2, tiling->rowBytes);
        const int64_t pages =
            tiling->outRows * tiling->rowStride * static_cast<int64_t>(sizeof(T)) / kPageBytes;
        touchesLeft_ = tiling->colStride == 1 && pages >= kManyPages ? 2 * pages : 0;
        pipe->InitBuffer(touched_, kTouched * kBlockBytes);
    }

    /// Lets only the output rows before `row` go through L2. Call this if a block writes
    /// consecutive rows: then each block should have the same part of its rows in L2.
    __aicore__ inline void SetRowsInL2(int64_t row) { rowsInL2_ = row; }

    /// Returns the number of columns of a row that one buffer can contain.
    __aicore__ inline int64_t ColStep() const { return colStep_; }
    /// Returns the number of rows that one buffer can contain; 1 if a row does not fit into it.
    __aicore__ inline int64_t RowStep() const { return rowStep_; }
    __aicore__ inline const Range& Columns() const { return columns_; }

    __aicore__ inline AscendC::LocalTensor<T> Alloc() { return rows_.template AllocTensor<T>(); }

    /// Returns loads of these columns of tokens.
    __aicore__ inline RowLoads<T> Loads(const Range& cols) const {
        return RowLoads<T>(tokensGm_[cols.begin], tiling_->hidden,
                           static_cast<uint32_t>(cols.Size()), PitchOf(cols));
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

    /// Returns whether Touch() is worth its time: the output has many pages, and the core has
    /// probably not accessed all of them.
    __aicore__ inline bool Touches() const { return touchesLeft_ > 0; }

    /// Reads an element of each of the output rows targets[first..end), which no block has written
    /// yet. A core waits for the address of each page of GM that it has not accessed yet; so MTE2
    /// waits for some pages while MTE3 waits for others. Call this before the load of the tokens
    /// that go to these rows: that load is after these reads, and before the stores to the rows.
    __aicore__ inline void Touch(const AscendC::LocalTensor<int32_t>& targets, uint32_t first,
                                 uint32_t end) {
        const AscendC::LocalTensor<T> touched = touched_.Get<T>();
        const AscendC::DataCopyExtParams one(1, sizeof(T), 0, 0, 0);
        const AscendC::DataCopyPadExtParams<T> none = NoPadding<T>();
        const int32_t outRows = static_cast<int32_t>(tiling_->outRows);
        const int64_t stride = tiling_->rowStride;
        touchesLeft_ -= static_cast<int64_t>(end) - first;
        for (uint32_t i = first; i < end; ++i) {
            if (place_ == kTouched) {
                AscendC::PipeBarrier<PIPE_MTE2>();  // earlier reads went to the same places
                place_ = 0;
            }
            const int32_t target = targets.GetValue(i);
            if (target < outRows) {
                AscendC::DataCopyPad(touched[place_ * kElemsPerBlock<T>],
                                     permutedGm_[target * stride], one, none);
            }
            ++place_;
        }
    }

    /// Copies row `at` of the buffer to the output rows targets[first..end), but not to targets
    /// after the output's end.
    __aicore__ inline void Scatter(const AscendC::LocalTensor<T>& buffer, uint32_t at,
                                   const Range& cols, const AscendC::LocalTensor<int32_t>& targets,
                                   uint32_t first, uint32_t end) {
        const AscendC::LocalTensor<T> row = buffer[at * PitchOf(cols)];
        if (tiling_->colStride == 1) {
            // This loop runs once per output row, so nothing in it is computed twice.
            const AscendC::DataCopyExtParams params(
                1, static_cast<uint32_t>(cols.Size() * sizeof(T)), 0, 0, 0);
            const int32_t outRows = static_cast<int32_t>(tiling_->outRows);
            const int32_t rowsInL2 = static_cast<int32_t>(rowsInL2_);
            const int64_t stride = tiling_->rowStride;
            const int64_t col = cols.begin;
            for (uint32_t i = first; i < end; ++i) {
                const int32_t target = targets.GetValue(i);
                if (target < rowsInL2) {
                    AscendC::DataCopyPad(permutedGm_[target * stride + col], row, params);
                } else if (target < outRows) {
                    AscendC::DataCopyPad(pastL2Gm_[target * stride + col], row, params);
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
            const int64_t offset = OffsetOf(target, cols.begin);
            const bool inL2 = target < rowsInL2_;
            StoreRows(inL2 ? permutedGm_[offset] : pastL2Gm_[offset], buffer,
                      Rows(rows, count, tiling_->rowStride));
            return;
        }
        for (uint32_t i = 0; i < rows; ++i) {
            writer_->Write(permutedGm_[OffsetOf(target + i, cols.begin)], tiling_->colStride,
                           buffer[i * PitchOf(cols)], count);
        }
    }

private:
    static constexpr int64_t kLineBytes = 512;  ///< lines of L2
    static constexpr int64_t kPageBytes = 2 << 20;
    static constexpr int64_t kManyPages = 24;

    __aicore__ inline uint32_t PitchOf(const Range& cols) const {
        return RoundUpTo<kElemsPerBlock<T>>(static_cast<uint32_t>(cols.Size()));
    }
    __aicore__ inline int64_t OffsetOf(int64_t row, int64_t col) const {
        return row * tiling_->rowStride + col * tiling_->colStride;
    }

    const TilingData* tiling_;
    Range columns_;
    int64_t colStep_;
    int64_t rowStep_;
    int64_t rowsInL2_;
    StridedWriter* writer_;
    AscendC::GlobalTensor<T> tokensGm_;
    AscendC::GlobalTensor<T> permutedGm_;
    AscendC::GlobalTensor<T> pastL2Gm_;  ///< the same output, for rows that bypass L2
    AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 2> rows_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> touched_;
    int64_t touchesLeft_;
    uint32_t place_ = 0;  ///< where the next touched element goes
};

}  // namespace ops::MoeTokenPermuteWithRoutingMapOp

#endif  // OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_TOKEN_ROWS_H
