// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_CUT_H
#define OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_CUT_H

#include "../common/integers.h"
#include "../grouped_matmul_finalize_routing_tiling.h"
#include "kernel_operator.h"

namespace ops::GroupedMatmulFinalizeRoutingOp {

constexpr uint32_t kStepK = 64;            ///< rows of weights in a fractal: the unit of k
constexpr uint32_t kColsPerSquare = 64;    ///< columns of a fractal of 4-bit integers
constexpr uint32_t kRowsPerFractal = 16;   ///< rows of a fractal
constexpr uint32_t kL0cElems = 32 * 1024;  ///< int32 elements of L0C

/// Returns the number of rows of unpacked weights in a buffer of L1, if panels have `cols` columns.
__aicore__ inline uint32_t UnpackChunkK(uint32_t cols) {
    return kUnpackBufferBytes / cols / kStepK * kStepK;
}

/// How an expert's rows and columns are cut into tiles. A panel is the columns of weights that are
/// read together.
struct Cut {
    const Panels* panels;
    uint32_t tileRows;
    uint32_t rowTiles;  ///< number of tiles that contain all rows of the expert
    /// Estimated time for one step of k of one tile and 16 columns, in quarters of a cycle.
    uint32_t stepCost;

    __aicore__ inline void Set(int64_t rows, const TilingData& tiling) {
        rowTiles = 1;
        if (tiling.unpackK != 0) {
            panels = &tiling.many;
            CutRows(rows, kUnpackTileRows, kRowsPerFractal);
        } else if (rows <= tiling.fewRows) {
            panels = &tiling.few;
            tileRows = static_cast<uint32_t>(rows);
        } else if (rows <= kTileRows) {
            const bool some = rows <= kSomeRows && tiling.wholeRows > kSomeRows;
            panels = some ? &tiling.some : &tiling.more;
            tileRows = static_cast<uint32_t>(rows);
            if (tileRows > tiling.wholeRows) {
                CutRows(rows, kSomeRows, kDigitRowUnit);
            }
        } else {
            panels = &tiling.many;
            CutRows(rows, kTileRows, kDigitRowUnit);
        }
        stepCost = tiling.unpackK != 0 ? UnpackedStepCost() : StepCost();
    }

private:
    static constexpr uint32_t kDigitRowUnit = kRowsPerFractal / 2;
    static constexpr uint32_t kParts = 4;   ///< costs count quarters of a cycle
    static constexpr uint32_t kFromL2 = 4;  ///< cycles in which a tile's operands come from L2

    /// Makes as few tiles as possible, of nearly equal length.
    __aicore__ inline void CutRows(int64_t rows, uint32_t most, uint32_t unit) {
        const auto tiles = static_cast<uint32_t>(CeilDiv(rows, most));
        tileRows = RoundUp(static_cast<uint32_t>(CeilDiv(rows, tiles)), unit);
        rowTiles = static_cast<uint32_t>(CeilDiv(rows, tileRows));
    }

    /// The first tile of a panel waits until the vector cores have unpacked its weights.
    __aicore__ inline uint32_t UnpackedStepCost() const {
        constexpr uint32_t kFirst = 26;
        return kParts * (tileRows / kDigitRowUnit + kFromL2) + kParts * kFirst / rowTiles;
    }

    /// The first tile of a panel waits for HBM, which gives a core 32 B per cycle. Later tiles wait
    /// for the cube unit and for the L2 cache. If an expert has a single tile but many rows, its
    /// panels are narrow and rows of weights short, so that the product takes additional time.
    __aicore__ inline uint32_t StepCost() const {
        constexpr uint32_t kFromHbm = 17;
        constexpr uint32_t kFirst = 23;
        constexpr uint32_t kNarrowParts = 5;
        const uint32_t product = (2 * tileRows + kRowsPerFractal - 1) / kRowsPerFractal + kFromL2;
        if (rowTiles == 1) {
            return kParts * kFromHbm + (tileRows <= kSomeRows ? 0 : kNarrowParts * product);
        }
        return kParts * product + kParts * kFirst / rowTiles;
    }
};

}  // namespace ops::GroupedMatmulFinalizeRoutingOp

#endif  // OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_CUT_H
