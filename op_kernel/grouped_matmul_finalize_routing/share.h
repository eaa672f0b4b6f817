// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_SHARE_H
#define OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_SHARE_H

#include "../common/copy.h"
#include "../grouped_matmul_finalize_routing_tiling.h"
#include "kernel_operator.h"
#include "tiles.h"

namespace ops::GroupedMatmulFinalizeRoutingOp {

/// The part of a tile that one of the two vector cores computes.
struct Share {
    uint32_t row;
    uint32_t rows;
    uint32_t col;
    uint32_t cols;
    uint32_t pitch;  ///< floats from row to row in UB; each row of x has one row per digit
};

/// If a tile has at least kRowsToShare rows and at most kColsToShare columns, the two vector
/// cores of a block divide its rows, otherwise its columns. So accesses to GM are long, and
/// both cores have work for any number of rows. The strides of vector instructions have 8 bits:
/// two rows of sums, one per digit, must not be longer than 255 blocks of 32 B.
constexpr uint32_t kRowsToShare = 8;
constexpr uint32_t kColsToShare = kFewCols / 2;

/// Returns this core's share of the tile.
__aicore__ inline Share ShareOf(const Tile& tile) {
    const uint32_t core = static_cast<uint32_t>(AscendC::GetSubBlockIdx());
    Share share = {0, tile.rows, 0, tile.cols, tile.Pitch()};
    if (tile.rows >= kRowsToShare && tile.cols <= kColsToShare) {
        const uint32_t half = CeilDiv(tile.rows, 2U);
        share.row = core * half;
        share.rows = core == 0 ? half : tile.rows - half;
    } else {
        const uint32_t half = RoundUp(CeilDiv(tile.cols, 2U), kElemsPerBlock<float>);
        share.col = core * half;
        share.cols = core == 0 ? half : tile.cols - half;
        share.pitch = share.cols;
    }
    return share;
}

}  // namespace ops::GroupedMatmulFinalizeRoutingOp

#endif  // OP_KERNEL_GROUPED_MATMUL_FINALIZE_ROUTING_SHARE_H
