// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_INIT_ROUTING_V2_GRAD_TILING_H
#define OP_KERNEL_MOE_INIT_ROUTING_V2_GRAD_TILING_H

#include <cstdint>

namespace ops {
namespace MoeInitRoutingV2GradOp {

/// Floats after which UB's groups of banks start over: rows a multiple of it apart are in step.
constexpr uint32_t kRowUnit = 128;
/// Half a turn of the banks, by an odd number of which rows are out of step with those that they
/// are added to; see RowPlaces.
constexpr uint32_t kUbShiftFloats = 64;

}  // namespace MoeInitRoutingV2GradOp
}  // namespace ops

/// Tiling data of MoeInitRoutingV2Grad, written by the host and read by the kernel.
///
/// A tile of the output is tokensPerTile whole rows, or one row's colsPerTile columns. Its K slots
/// come in `chunks` steps of slotsPerChunk. Tiles are numbered along the columns first and dealt to
/// the blocks in contiguous, equal shares.
struct MoeInitRoutingV2GradTilingData {
    int64_t tokens;          ///< N
    int64_t slots;           ///< K, rows that a token sums at most
    int64_t rows;            ///< R, rows of the gradient; indices outside [0, rows) are skipped
    int64_t cols;            ///< H
    int64_t tiles;           ///< tokenTiles * colTiles
    int64_t colTiles;        ///< tiles per row of tiles
    int64_t chunks;          ///< steps per tile
    uint32_t tokensPerTile;  ///< more than one only when colTiles is 1
    uint32_t colsPerTile;    ///< a multiple of 512 B unless it is all columns
    uint32_t slotsPerChunk;  ///< depends on K and H alone, so the order of summation does too
    uint32_t tileElems;      ///< elements that one slot of a tile takes in UB, padding included
    uint32_t indexElems;     ///< indices that UB holds at a time, at least those of one step
    uint32_t rowUnit;        ///< what they are a multiple of: kRowUnit, or a block where UB is full
    uint32_t gapElems;  ///< elements that a step's rows are shifted by in all; 0 where UB is full
};

#endif  // OP_KERNEL_MOE_INIT_ROUTING_V2_GRAD_TILING_H
