// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_UNITS_H
#define OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_UNITS_H

#include "../common/integers.h"
#include "../grouped_matmul_finalize_routing_tiling.h"
#include "cut.h"
#include "groups.h"
#include "kernel_operator.h"

namespace ops::GroupedMatmulFinalizeRoutingOp {

/// A unit of work: some rows of an expert, the columns of a panel, and a range of k. It has all of
/// k or a single tile. If weights are unpacked, the parts of k of some tiles follow each other.
struct Unit {
    int64_t row;
    int64_t col;
    uint32_t rows;
    uint32_t cols;
    uint32_t kBegin;
    uint32_t kEnd;
    uint32_t expert;
    uint32_t tileRows;
};

/// Iterates over the units of one block, in order. All steps (some rows of weights of one tile) are
/// in one list: expert by expert, panel by panel, tile by tile. The blocks get contiguous parts of
/// this list with equal costs. So a tile may be divided between blocks.
class Units {
public:
    __aicore__ inline void Init(GM_ADDR groupList, const TilingData* tiling) {
        tiling_ = tiling;
        steps_ = CeilDiv(tiling->k, tiling->stepK);
        groups_.Init(groupList, tiling);
        mostFew_ = tiling->unpackK != 0 ? 0 : tiling->fewRows;
        fewCost_ = CostOf(1);
        uint64_t total = 0;
        while (groups_.Next()) {
            total += CostOfExpert();
        }
        endOfRows_ = groups_.End();
        groups_.Restart();
        total_ = total;
        block_ = static_cast<uint32_t>(AscendC::GetBlockIdx() / AscendC::GetTaskRation());
        first_ = CostsBefore(block_);
        end_ = CostsBefore(block_ + 1);
    }

    /// Moves to the first expert of which this block has steps. Call this before copies are made,
    /// so that they need not look for it.
    __aicore__ inline void Seek() { NextExpert(); }

    /// Returns the end of the last expert's rows.
    __aicore__ inline int64_t EndOfRows() const { return endOfRows_; }

    __aicore__ inline bool Next(Unit& unit) {
        while (item_ == endItem_) {
            if (!NextPanel() && !NextExpert()) {
                return false;
            }
        }
        const uint32_t tile = item_ / steps_;
        const uint32_t step = item_ - tile * steps_;
        const uint32_t steps = Min(steps_ - step, endItem_ - item_);
        uint32_t tiles = steps == steps_ ? (endItem_ - item_) / steps_ : 1;
        if (tiling_->unpackK != 0 && tiling_->unpackK < tiling_->k) {
            tiles = Min(tiles, kUnpackGroup);
        }
        const int64_t row = static_cast<int64_t>(tile) * cut_.tileRows;
        unit.row = groups_.Begin() + row;
        unit.rows = static_cast<uint32_t>(
            Min(groups_.End() - unit.row, static_cast<int64_t>(tiles) * cut_.tileRows));
        unit.col = col_;
        unit.cols = cols_;
        unit.kBegin = step * tiling_->stepK;
        unit.kEnd = Min((step + steps) * tiling_->stepK, tiling_->k);
        if (tiling_->unpackK != 0 && tiling_->unpackK < tiling_->k) {
            unit.kBegin = unpacked_;
            unit.kEnd = Min(unpacked_ + tiling_->unpackK, tiling_->k);
            unpacked_ = unit.kEnd == tiling_->k ? 0 : unit.kEnd;
        }
        unit.expert = groups_.Expert();
        unit.tileRows = cut_.tileRows;
        item_ += unpacked_ == 0 ? tiles * steps : 0;
        return true;
    }

    /// After Next() has returned the first part of a divided tile, the last unit of this block:
    /// moves to the next block that has a part of this tile. Returns false if there is none. The
    /// other parts are the first units of their blocks.
    __aicore__ inline bool NextPart(uint32_t& block) {
        while (item_ % steps_ != 0) {
            ++block_;
            const uint64_t end =
                CeilDiv(Min(CostsBefore(block_ + 1), begin_) - expert_, cut_.stepCost);
            const uint32_t endItem = Min(EndItem(end), RoundUp(item_, steps_));
            if (endItem > item_) {
                item_ = endItem_ = endItem;
                block = block_;
                return true;
            }
        }
        return false;
    }

private:
    /// Returns the costs of the steps of all blocks before `block`.
    __aicore__ inline uint64_t CostsBefore(uint32_t block) const {
        return total_ * block / static_cast<uint64_t>(AscendC::GetBlockNum());
    }

    /// Returns the cost of the steps of the current expert.
    __aicore__ inline uint64_t CostOfExpert() {
        const int64_t rows = groups_.End() - groups_.Begin();
        return rows <= mostFew_ ? fewCost_ : CostOf(rows);
    }

    /// Sets how an expert with `rows` rows is cut; returns the cost of its steps.
    __aicore__ inline uint64_t CostOf(int64_t rows) {
        cut_.Set(rows, *tiling_);
        return static_cast<uint64_t>(cut_.panels->weight) * steps_ * cut_.rowTiles * cut_.stepCost;
    }

    /// Moves to the next expert of which this block has steps; returns false if there is none.
    __aicore__ inline bool NextExpert() {
        while (first_ < end_ && groups_.Next()) {
            const uint64_t cost = CostOfExpert();
            expert_ = begin_;
            begin_ += cost;
            if (begin_ > first_) {
                cut_.Set(groups_.End() - groups_.Begin(), *tiling_);
                const uint64_t from = CeilDiv(first_ - expert_, cut_.stepCost);
                to_ = CeilDiv(Min(end_, begin_) - expert_, cut_.stepCost);
                first_ = Min(end_, begin_);
                panelSteps_ = cut_.rowTiles * steps_;
                SetPanel(static_cast<uint32_t>(from / panelSteps_), from);
                return true;
            }
        }
        return false;
    }

    /// Moves to the next panel of the expert; returns false if this block has no step of it.
    __aicore__ inline bool NextPanel() {
        const uint32_t position = position_ + weight_;
        if (static_cast<uint64_t>(position) * panelSteps_ >= to_) {
            return false;
        }
        SetPanel(position, static_cast<uint64_t>(position) * panelSteps_);
        return true;
    }

    /// Sets the panel that contains `position`, which counts the weights of panels, and the panel's
    /// steps [item_, endItem_). `from` and `to_` count the weights of the expert's steps.
    __aicore__ inline void SetPanel(uint32_t position, uint64_t from) {
        const Panels& panels = *cut_.panels;
        cols_ = panels.tailCols;
        weight_ = panels.tailWeight;
        if (position < panels.tail) {
            position_ = position / panels.cols * panels.cols;
            col_ = position_;
            cols_ = panels.cols;
            weight_ = panels.cols;
        } else if (position < panels.tail + panels.tailWeight) {
            position_ = panels.tail;
            col_ = panels.tail;
        } else {
            position_ = panels.tail + panels.tailWeight;
            col_ = static_cast<int64_t>(panels.tail) + panels.tailCols;
            cols_ = static_cast<uint32_t>(tiling_->cols - col_);
        }
        item_ = static_cast<uint32_t>(CeilDiv(from - PanelBegin(), weight_));
        endItem_ = EndItem(to_);
    }

    /// Returns the weights of the expert's steps before the panel.
    __aicore__ inline uint64_t PanelBegin() const {
        return static_cast<uint64_t>(position_) * panelSteps_;
    }

    /// Returns the end of the panel's steps that begin before `to`, which counts like to_.
    __aicore__ inline uint32_t EndItem(uint64_t to) const {
        const uint64_t most = static_cast<uint64_t>(panelSteps_) * weight_;
        return static_cast<uint32_t>(CeilDiv(Min(to - PanelBegin(), most), weight_));
    }

    const TilingData* tiling_ = nullptr;
    Groups groups_;
    Cut cut_;
    uint32_t unpacked_ = 0;  ///< first row of weights of the next part, if weights are unpacked
    uint32_t block_ = 0;     ///< this block, or the one of the last NextPart()
    uint32_t steps_ = 0;     ///< number of steps of k
    uint64_t total_ = 0;     ///< costs of all steps
    uint64_t first_ = 0;     ///< costs before the first step that Next() has not returned
    uint64_t end_ = 0;       ///< costs before the end of this block's steps
    uint64_t expert_ = 0;    ///< costs before the current expert
    uint64_t begin_ = 0;     ///< costs before the expert after the current one
    uint64_t to_ = 0;        ///< end of this block's steps of the expert
    int64_t endOfRows_ = 0;
    int64_t mostFew_ = 0;  ///< experts with up to so many rows have the same cost, fewCost_
    uint64_t fewCost_ = 0;
    uint32_t panelSteps_ = 0;
    int64_t col_ = 0;  ///< first column of the panel
    uint32_t cols_ = 0;
    uint32_t position_ = 0;  ///< weights of the panels before this one
    uint32_t weight_ = 0;
    uint32_t item_ = 0;
    uint32_t endItem_ = 0;
};

}  // namespace ops::GroupedMatmulFinalizeRoutingOp

#endif  // OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_UNITS_H
