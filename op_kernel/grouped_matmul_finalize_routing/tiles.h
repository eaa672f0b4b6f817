// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_TILES_H
#define OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_TILES_H

#include "../common/integers.h"
#include "../grouped_matmul_finalize_routing_tiling.h"
#include "kernel_operator.h"
#include "units.h"

namespace ops::GroupedMatmulFinalizeRoutingOp {

// The cube core and the vector cores of a block process the same list of tiles in the same order,
// so they send no messages about this list.

constexpr uint32_t kColsPerSquare = 64;    ///< columns of a fractal of 4-bit integers
constexpr uint32_t kRowsPerFractal = 16;   ///< rows of a fractal
constexpr uint32_t kL0cElems = 32 * 1024;  ///< int32 elements of L0C

/// Sizes of the pieces of a unit. A panel is the columns of weights that are in L1 together; a part
/// is the columns of a panel that a tile has. A unit with up to 64 rows uses its weights once, so
/// its panels are as wide as L0C allows, and reads of GM are long. A unit with more rows reads its
/// weights in several passes. If k is small enough, the weights stay in L1 for all passes.
struct Cut {
    uint32_t panelCols;
    uint32_t partCols;
    uint32_t chunkK;  ///< rows of weights in a buffer of L1
    bool resident;    ///< the panel stays in L1 for all passes

    __aicore__ inline void Set(const Unit& unit, uint32_t k) {
        const bool onePass = unit.rows <= kTileRows;
        const uint32_t digitRows = RoundUp(2 * Min(unit.rows, kTileRows), kRowsPerFractal);
        const uint32_t widest = kL0cElems / digitRows / kColsPerSquare * kColsPerSquare;
        const uint32_t panels = CeilDiv(unit.cols, widest);
        panelCols = RoundUp(CeilDiv(unit.cols, panels), kColsPerSquare);
        partCols = panelCols;
        resident = false;
        if (!onePass && k <= 2 * kResidentK) {
            // Tiles fill half of L0C, so that one tile is copied out while the next is computed.
            resident = true;
            partCols = kResidentCols / 2;
            panelCols = k <= kResidentK ? kResidentCols : partCols;
        }
        const uint32_t fits = Min(2 * kL1BufferBytes / panelCols, kMaxChunkK);
        const uint32_t step = StepK(partCols);
        chunkK = fits / step * step;
    }

    /// Returns the largest multiple of 64 rows of `cols` weights that fits into half of L0B.
    __aicore__ inline static uint32_t StepK(uint32_t cols) {
        const uint32_t rows = kL0bHalfElems / RoundUp(cols, kColsPerSquare);
        return Min(rows, kMaxStepK) / kColsPerSquare * kColsPerSquare;
    }

    static constexpr uint32_t kL0bHalfElems = 64 * 1024;
    static constexpr uint32_t kMaxStepK = 512;  ///< columns of 128 digit rows that fit half of L0A
    static constexpr uint32_t kMaxChunkK =
        1024;  ///< columns of 128 rows of digits that fit an L1 buffer
};

/// A tile of the matrix product, and its position in the unit.
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

    /// Returns the distance, in elements, between rows in the slot (two rows per row of x).
    __aicore__ inline uint32_t Pitch() const { return RoundUp(cols, kRowsPerFractal); }
};

/// Iterates over the tiles of a unit: panel by panel, then pass by pass, then part by part.
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
        tile.rows = Min(unit_.rows - row_, kTileRows);
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

}  // namespace ops::GroupedMatmulFinalizeRoutingOp

#endif  // OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_TILES_H
