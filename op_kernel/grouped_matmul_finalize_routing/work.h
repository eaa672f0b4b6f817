// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_WORK_H
#define OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_WORK_H

#include "../grouped_matmul_finalize_routing_tiling.h"
#include "kernel_operator.h"

// Who does what, in which order: the cube core and the vector cores of a block go through the same
// list without talking about it.

namespace GroupedMatmulFinalizeRoutingOp {

using TilingData = GroupedMatmulFinalizeRoutingTilingData;

/// Flags between cores.
constexpr uint16_t FLAG_ALL_SPLIT = 0;  ///< among vector cores: all digits are in GM
constexpr uint16_t FLAG_OUTPUT = 1;     ///< among vector cores: all rows of y are written
constexpr uint16_t FLAG_DIGITS = 2;     ///< to the cube core: all digits are in GM
constexpr uint16_t FLAG_TILE = 3;       ///< to the vector cores: the next tile is in its slot
constexpr uint16_t FLAG_SLOT = 4;       ///< to the cube core: a slot has been read

constexpr uint32_t COLS_PER_SQUARE = 64;   ///< columns of a fractal of 4-bit integers
constexpr uint32_t ROWS_PER_FRACTAL = 16;  ///< rows of a fractal
constexpr uint32_t L0C_ELEMS = 32 * 1024;  ///< all of L0C

template <typename T>
__aicore__ inline T CeilDiv(T a, T b) {
    return (a + b - 1) / b;
}

template <typename T>
__aicore__ inline T RoundUp(T value, T unit) {
    return CeilDiv(value, unit) * unit;
}

template <typename T>
__aicore__ inline T Min(T a, T b) {
    return a < b ? a : b;
}

template <typename T>
__aicore__ inline T Max(T a, T b) {
    return a > b ? a : b;
}

/// Some rows of an expert times some columns.
struct Unit {
    int64_t row;
    int64_t col;
    uint32_t rows;
    uint32_t cols;
    uint32_t expert;
};

/// The units of one block, in order.
class Units {
public:
    __aicore__ inline void Init(GM_ADDR groupList, const TilingData* tiling) {
        tiling_ = tiling;
        groups_.SetGlobalBuffer((__gm__ int64_t*)groupList, tiling->experts);
        blocks_ = AscendC::GetBlockNum();
        position_ = AscendC::GetBlockIdx() / AscendC::GetTaskRation();
        colUnits_ = CeilDiv<int64_t>(tiling->cols, tiling->unitCols);
    }

    __aicore__ inline bool Next(Unit& unit) {
        while (position_ >= expertUnits_) {
            position_ -= expertUnits_;
            if (!NextExpert()) {
                return false;
            }
        }
        const int64_t done = position_ / colUnits_ * unitRows_;
        unit.expert = static_cast<uint32_t>(nextExpert_ - 1);
        unit.row = begin_ + done;
        unit.rows = static_cast<uint32_t>(Min(end_ - unit.row, unitRows_));
        unit.col = position_ % colUnits_ * tiling_->unitCols;
        unit.cols =
            static_cast<uint32_t>(Min<int64_t>(tiling_->cols - unit.col, tiling_->unitCols));
        position_ += blocks_;
        return true;
    }

    /// Behind the last expert's rows; there are no units after it.
    __aicore__ inline int64_t EndOfRows() {
        while (NextExpert()) {
        }
        return end_;
    }

private:
    /// Whatever groupList says, an expert's rows are inside x and behind those of the expert
    /// before.
    __aicore__ inline bool NextExpert() {
        begin_ = end_;
        if (nextExpert_ == tiling_->experts || begin_ == tiling_->rows) {
            expertUnits_ = 0;
            return false;
        }
        const int64_t value = groups_.GetValue(nextExpert_++);
        // A difference of any two values fits only if it is unsigned.
        const int64_t from = tiling_->cumulative != 0 ? last_ : 0;
        const uint64_t count =
            value > from ? static_cast<uint64_t>(value) - static_cast<uint64_t>(from) : 0;
        last_ = value;
        end_ = begin_ +
               static_cast<int64_t>(Min(count, static_cast<uint64_t>(tiling_->rows - begin_)));
        // As few units as unitRows allows, of nearly equal length: a short one more would take a
        // core's turn.
        const int64_t parts = CeilDiv<int64_t>(end_ - begin_, tiling_->unitRows);
        unitRows_ = RoundUp<int64_t>(CeilDiv(end_ - begin_, Max<int64_t>(parts, 1)),
                                     GMM_FINALIZE_TILE_ROWS);
        expertUnits_ = parts == 0 ? 0 : CeilDiv(end_ - begin_, unitRows_) * colUnits_;
        return true;
    }

    const TilingData* tiling_ = nullptr;
    AscendC::GlobalTensor<int64_t> groups_;
    int64_t blocks_ = 0;
    int64_t colUnits_ = 0;
    int64_t position_ = 0;     ///< of the block's next unit, counted from the expert's first
    int64_t expertUnits_ = 0;  ///< of the expert
    int64_t unitRows_ = 1;
    int64_t begin_ = 0;  ///< the expert's rows
    int64_t end_ = 0;
    int64_t last_ = 0;  ///< groupList's entry of the expert
    uint32_t nextExpert_ = 0;
};

/// How a unit is cut. A panel of weights goes through L1; a part of it is as wide as a tile.
///
/// Up to 64 rows, the weights are used once and stream through L1, as wide as L0C allows: wide rows
/// in GM. More rows take several passes over the weights; then these stay in L1 where k allows it.
struct Cut {
    uint32_t panelCols;
    uint32_t partCols;
    uint32_t chunkK;  ///< rows of weights in a buffer of L1
    bool resident;    ///< the panel stays in L1 for all passes

    __aicore__ inline void Set(const Unit& unit, uint32_t k) {
        const bool onePass = unit.rows <= GMM_FINALIZE_TILE_ROWS;
        const uint32_t digitRows =
            RoundUp(2 * Min(unit.rows, GMM_FINALIZE_TILE_ROWS), ROWS_PER_FRACTAL);
        const uint32_t widest = L0C_ELEMS / digitRows / COLS_PER_SQUARE * COLS_PER_SQUARE;
        const uint32_t panels = CeilDiv(unit.cols, widest);
        panelCols = RoundUp(CeilDiv(unit.cols, panels), COLS_PER_SQUARE);
        partCols = panelCols;
        resident = false;
        if (!onePass && k <= 2 * GMM_FINALIZE_RESIDENT_K) {
            // Tiles of half of L0C, so that one leaves while the next is made.
            resident = true;
            partCols = GMM_FINALIZE_RESIDENT_COLS / 2;
            panelCols = k <= GMM_FINALIZE_RESIDENT_K ? GMM_FINALIZE_RESIDENT_COLS : partCols;
        }
        const uint32_t fits = Min(2 * GMM_FINALIZE_L1_BYTES / panelCols, MAX_CHUNK_K);
        const uint32_t step = StepK(partCols);
        chunkK = fits / step * step;
    }

    /// Rows of weights that half of L0B holds of a part, a multiple of 64.
    __aicore__ inline static uint32_t StepK(uint32_t cols) {
        const uint32_t rows = L0B_HALF_ELEMS / RoundUp(cols, COLS_PER_SQUARE);
        return Min(rows, MAX_STEP_K) / COLS_PER_SQUARE * COLS_PER_SQUARE;
    }

    static constexpr uint32_t L0B_HALF_ELEMS = 64 * 1024;
    static constexpr uint32_t MAX_STEP_K = 512;    ///< what half of L0A holds of 128 rows
    static constexpr uint32_t MAX_CHUNK_K = 1024;  ///< what a buffer of digits holds of these
};

/// A tile of the product, and its place in the unit.
struct Tile {
    int64_t row;
    int64_t col;
    int64_t panelCol;  ///< first column of the panel
    uint32_t rows;
    uint32_t cols;
    uint32_t panelCols;
    bool firstPass;
    bool lastPass;
    bool firstPart;
    bool lastPart;

    /// From row to row in its slot, where both digits of a row of x are two rows.
    __aicore__ inline uint32_t Pitch() const { return RoundUp(cols, ROWS_PER_FRACTAL); }
};

/// The tiles of a unit: panel by panel, pass by pass, part by part.
class Tiles {
public:
    __aicore__ inline void Start(const Unit& unit, const Cut& cut) {
        unit_ = unit;
        cut_ = cut;
        panel_ = 0;
        row_ = 0;
        part_ = 0;
    }

    __aicore__ inline bool Next(Tile& tile) {
        if (panel_ >= unit_.cols) {
            return false;
        }
        tile.panelCol = unit_.col + panel_;
        tile.panelCols = Min(unit_.cols - panel_, cut_.panelCols);
        tile.row = unit_.row + row_;
        tile.col = tile.panelCol + part_;
        tile.rows = Min(unit_.rows - row_, GMM_FINALIZE_TILE_ROWS);
        tile.cols = Min(tile.panelCols - part_, cut_.partCols);
        tile.firstPass = row_ == 0;
        tile.firstPart = part_ == 0;
        tile.lastPart = part_ + tile.cols == tile.panelCols;
        tile.lastPass = row_ + tile.rows == unit_.rows;
        part_ += tile.cols;
        if (tile.lastPart) {
            part_ = 0;
            row_ += tile.rows;
        }
        if (tile.lastPart && tile.lastPass) {
            row_ = 0;
            panel_ += tile.panelCols;
        }
        return true;
    }

private:
    Unit unit_;
    Cut cut_;
    uint32_t panel_ = 0;
    uint32_t row_ = 0;
    uint32_t part_ = 0;
};

}  // namespace GroupedMatmulFinalizeRoutingOp

#endif  // OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_WORK_H
