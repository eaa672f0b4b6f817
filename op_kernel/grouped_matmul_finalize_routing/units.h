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
/// k or a single tile.
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

/// Iterates over the units of one block, in order. All steps (64 rows of weights of one tile) are
/// in one list: expert by expert, panel by panel, tile by tile. If weights are unpacked, a step has
/// more rows of weights, and the steps of all tiles with the same rows of weights follow each
/// other. The blocks get contiguous parts of this list with equal costs. So a tile may be divided
/// between blocks: each of them adds its part of the sum over k to y.
class Units {
public:
    __aicore__ inline void Init(GM_ADDR groupList, const TilingData* tiling) {
        tiling_ = tiling;
        resident_ = tiling->unpackK != 0;
        stepK_ = resident_ ? tiling->unpackK : tiling->k <= kShortK ? tiling->k : kStepK;
        steps_ = CeilDiv(tiling->k, stepK_);
        groups_.Init(groupList, tiling);
        mostFew_ = resident_ ? 0 : tiling->fewRows;
        fewCost_ = CostOf(1);
        uint64_t total = 0;
        while (groups_.Next()) {
            total += CostOfExpert();
        }
        endOfRows_ = groups_.End();
        groups_.Restart();
        const auto block = static_cast<uint64_t>(AscendC::GetBlockIdx() / AscendC::GetTaskRation());
        const auto blocks = static_cast<uint64_t>(AscendC::GetBlockNum());
        first_ = total * block / blocks;
        end_ = total * (block + 1) / blocks;
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
        uint32_t tile = item_ / steps_;
        uint32_t step = item_ - tile * steps_;
        uint32_t steps = Min(steps_ - step, endItem_ - item_);
        uint32_t tiles = steps == steps_ ? (endItem_ - item_) / steps_ : 1;
        if (resident_) {
            step = item_ / cut_.rowTiles;
            tile = item_ - step * cut_.rowTiles;
            steps = 1;
            tiles = Min(cut_.rowTiles - tile, endItem_ - item_);
        }
        const int64_t row = static_cast<int64_t>(tile) * cut_.tileRows;
        unit.row = groups_.Begin() + row;
        unit.rows = static_cast<uint32_t>(
            Min(groups_.End() - unit.row, static_cast<int64_t>(tiles) * cut_.tileRows));
        unit.col = col_;
        unit.cols = cols_;
        unit.kBegin = step * stepK_;
        unit.kEnd = Min((step + steps) * stepK_, tiling_->k);
        unit.expert = groups_.Expert();
        unit.tileRows = cut_.tileRows;
        item_ += tiles * steps;
        return true;
    }

private:
    /// Up to this k, a tile is not divided: the vector cores' work for a part takes longer.
    static constexpr uint32_t kShortK = 256;

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
            const uint64_t begin = begin_;
            begin_ += cost;
            if (begin_ > first_) {
                cut_.Set(groups_.End() - groups_.Begin(), *tiling_);
                const uint64_t from = CeilDiv(first_ - begin, cut_.stepCost);
                to_ = CeilDiv(Min(end_, begin_) - begin, cut_.stepCost);
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
        const uint64_t begin = static_cast<uint64_t>(position_) * panelSteps_;
        item_ = static_cast<uint32_t>(CeilDiv(from - begin, weight_));
        endItem_ = static_cast<uint32_t>(
            CeilDiv(Min(to_ - begin, static_cast<uint64_t>(panelSteps_) * weight_), weight_));
    }

    const TilingData* tiling_ = nullptr;
    Groups groups_;
    Cut cut_;
    bool resident_ =
        false;  ///< a step's weights stay in L1 for all tiles; so all tiles take the same step
    uint32_t stepK_ = 0;  ///< rows of weights in a step
    uint32_t steps_ = 0;  ///< number of steps of k
    uint64_t first_ = 0;  ///< costs before the first step that Next() has not returned
    uint64_t end_ = 0;    ///< costs before the end of this block's steps
    uint64_t begin_ = 0;  ///< costs before the expert after the current one
    uint64_t to_ = 0;     ///< end of this block's steps of the expert
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
