// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_TILES_H
#define OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_TILES_H

#include "../common/integers.h"
#include "../grouped_matmul_finalize_routing_tiling.h"
#include "cut.h"
#include "kernel_operator.h"
#include "units.h"

namespace ops::GroupedMatmulFinalizeRoutingOp {

// The cube core and the vector cores of a block process the same list of tiles in the same order,
// so they send no messages about this list.

/// A tile of the matrix product, and its position in the unit.
struct Tile {
    int64_t row;
    int64_t col;
    uint32_t part;  ///< first column of the tile in its panel
    uint32_t rows;
    uint32_t cols;
    bool firstPass;
    bool lastPass;
    bool firstPart;
    bool lastPart;

    /// Returns the distance, in elements, between rows in the slot (two rows per row of x).
    __aicore__ inline uint32_t Pitch() const { return RoundUp(cols, kRowsPerFractal); }
};

/// Iterates over the tiles of a unit: pass by pass (the rows of a tile), then part by part (the
/// columns of a tile). If a unit has several passes and k is small enough, the weights of the panel
/// stay in L1 for all passes (the unit is resident).
class Tiles {
public:
    __aicore__ inline void Start(const Unit& unit, const TilingData& tiling) {
        unit_ = unit;
        row_ = 0;
        part_ = 0;
        resident_ = tiling.unpackK == 0 && unit.rows > unit.tileRows && tiling.k <= 2 * kResidentK;
        // Tiles fill half of L0C, so that one tile is copied out while the next is computed.
        partCols_ = resident_ ? kResidentCols / 2 : unit.cols;
        const uint32_t fits =
            Min(2 * kL1BufferBytes / RoundUp(unit.cols, kColsPerSquare), kMaxChunkK);
        const uint32_t step = StepK(partCols_);
        chunkK_ = fits / step * step;
    }

    __aicore__ inline bool Next(Tile& tile) {
        if (row_ >= unit_.rows) {
            return false;
        }
        tile.row = unit_.row + row_;
        tile.part = part_;
        tile.col = unit_.col + part_;
        tile.rows = Min(unit_.rows - row_, unit_.tileRows);
        tile.cols = Min(unit_.cols - part_, partCols_);
        tile.firstPass = row_ == 0;
        tile.firstPart = part_ == 0;
        tile.lastPart = part_ + tile.cols == unit_.cols;
        tile.lastPass = row_ + tile.rows == unit_.rows;
        part_ += tile.cols;
        if (tile.lastPart) {
            part_ = 0;
            row_ += tile.rows;
        }
        return true;
    }

    __aicore__ inline bool Resident() const { return resident_; }
    /// Returns the number of rows of weights in a buffer of L1.
    __aicore__ inline uint32_t ChunkK() const { return chunkK_; }
    __aicore__ inline uint32_t PartCols() const { return partCols_; }

    /// Returns the largest multiple of 64 rows of `cols` weights that fits into half of L0B.
    __aicore__ inline static uint32_t StepK(uint32_t cols) {
        const uint32_t rows = kL0bHalfElems / RoundUp(cols, kColsPerSquare);
        return Min(rows, kMaxStepK) / kStepK * kStepK;
    }

private:
    static constexpr uint32_t kL0bHalfElems = 64 * 1024;
    static constexpr uint32_t kMaxStepK = 512;  ///< columns of 128 digit rows that fit half of L0A
    static constexpr uint32_t kMaxChunkK =
        1024;  ///< columns of 128 rows of digits that fit an L1 buffer

    Unit unit_;
    uint32_t row_ = 0;
    uint32_t part_ = 0;
    uint32_t partCols_ = 0;
    uint32_t chunkK_ = 0;
    bool resident_ = false;
};

}  // namespace ops::GroupedMatmulFinalizeRoutingOp

#endif  // OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_TILES_H
