// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_UNITS_H
#define OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_UNITS_H

#include "../common/integers.h"
#include "../grouped_matmul_finalize_routing_tiling.h"
#include "kernel_operator.h"

namespace ops::GroupedMatmulFinalizeRoutingOp {

/// A unit of work: some rows of an expert times some columns.
struct Unit {
    int64_t row;
    int64_t col;
    uint32_t rows;
    uint32_t cols;
    uint32_t expert;
};

/// Iterates over the units of one block, in order.
class Units {
public:
    __aicore__ inline void Init(GM_ADDR groupList, const TilingData* tiling) {
        tiling_ = tiling;
        groups_.SetGlobalBuffer((__gm__ int64_t*)groupList, tiling->experts);
        blocks_ = AscendC::GetBlockNum();
        position_ = AscendC::GetBlockIdx() / AscendC::GetTaskRation();
        colUnits_ = CeilDiv(tiling->cols, tiling->unitCols);
    }

    __aicore__ inline bool Next(Unit& unit) {
        while (position_ >= expertUnits_) {
            position_ -= expertUnits_;
            if (!NextExpert()) {
                return false;
            }
        }
        const int64_t done = position_ / colUnits_ * unitRows_;
        unit.expert = nextExpert_ - 1;
        unit.row = begin_ + done;
        unit.rows = static_cast<uint32_t>(Min(end_ - unit.row, unitRows_));
        unit.col = position_ % colUnits_ * tiling_->unitCols;
        unit.cols = static_cast<uint32_t>(Min(tiling_->cols - unit.col, tiling_->unitCols));
        position_ += blocks_;
        return true;
    }

    /// Returns the end of the last expert's rows. Next() finds no more units after this call.
    __aicore__ inline int64_t EndOfRows() {
        while (NextExpert()) {
        }
        return end_;
    }

private:
    /// Moves to the next expert; returns false if there is none. Whatever groupList contains, an
    /// expert's rows are inside x and after the rows of the previous expert.
    __aicore__ inline bool NextExpert() {
        begin_ = end_;
        if (nextExpert_ == tiling_->experts || begin_ == tiling_->rows) {
            expertUnits_ = 0;
            return false;
        }
        const int64_t value = groups_.GetValue(nextExpert_++);
        // The difference of two int64_t values fits into uint64_t, but not into int64_t.
        const int64_t from = tiling_->cumulative != 0 ? last_ : 0;
        const uint64_t count =
            value > from ? static_cast<uint64_t>(value) - static_cast<uint64_t>(from) : 0;
        last_ = value;
        end_ = begin_ +
               static_cast<int64_t>(Min(count, static_cast<uint64_t>(tiling_->rows - begin_)));
        // Makes as few units as unitRows allows, of nearly equal length, because an additional
        // short unit would also keep a core busy.
        const int64_t parts = CeilDiv(end_ - begin_, tiling_->unitRows);
        unitRows_ = RoundUp(CeilDiv(end_ - begin_, Max(parts, 1)), kTileRows);
        expertUnits_ = parts == 0 ? 0 : CeilDiv(end_ - begin_, unitRows_) * colUnits_;
        return true;
    }

    const TilingData* tiling_ = nullptr;
    AscendC::GlobalTensor<int64_t> groups_;
    int64_t blocks_ = 0;
    int64_t colUnits_ = 0;
    int64_t position_ = 0;     ///< number of the block's next unit; the expert's first unit is 0
    int64_t expertUnits_ = 0;  ///< number of units of the expert
    int64_t unitRows_ = 1;
    int64_t begin_ = 0;  ///< first row of the expert; end_ is after its last row
    int64_t end_ = 0;
    int64_t last_ = 0;  ///< entry of groupList for the current expert
    uint32_t nextExpert_ = 0;
};

}  // namespace ops::GroupedMatmulFinalizeRoutingOp

#endif  // OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_UNITS_H
