// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_INIT_ROUTING_V2_GRAD_TILING_H
#define OP_KERNEL_MOE_INIT_ROUTING_V2_GRAD_TILING_H

#include <cstdint>

namespace ops {
namespace MoeInitRoutingV2GradOp {

/// Number of floats after which the groups of banks in UB repeat. Rows whose distance is a multiple
/// of this number start in the same group.
constexpr uint32_t kRowUnit = 128;
/// Half of kRowUnit. Rows that are moved by an odd multiple of this number start in other groups of
/// banks than the rows to which they are added (RowPlaces).
constexpr uint32_t kUbShiftFloats = 64;
/// Number of buffers for the rows of a step and for results.
constexpr uint32_t kSumBuffers = 2;
/// Number of buffers for rows that are copied, not summed (one slot).
constexpr uint32_t kCopyBuffers = 4;

}  // namespace MoeInitRoutingV2GradOp
}  // namespace ops

/// Tiling data of MoeInitRoutingV2Grad, written by the host and read by the kernel. A tile of the
/// output is tokensPerTile whole rows, or colsPerTile columns of one row. The K rows (slots) of
/// each token are summed in stepsPerTile steps of slotsPerStep. Tiles are numbered along the
/// columns first; each block has a contiguous, nearly equal share.
struct MoeInitRoutingV2GradTilingData {
    int64_t tokens;          ///< N, number of rows of the output
    int64_t slots;           ///< K, the largest number of rows that a token sums
    int64_t rows;            ///< R, number of gradient rows; indices outside [0, R) are skipped
    int64_t cols;            ///< H, number of elements of a row
    int64_t tiles;           ///< number of tiles
    int64_t colTiles;        ///< number of tiles that cover a row
    int64_t stepsPerTile;    ///< number of steps per tile
    int64_t tilesThroughL2;  ///< number of first tiles of a block whose results go through L2
    uint32_t tokensPerTile;  ///< number of tokens; more than 1 only if colTiles is 1
    uint32_t colsPerTile;    ///< number of columns: a multiple of 512 B, or all columns
    uint32_t slotsPerStep;   ///< slots per step, the same for any number of cores
    uint32_t tileElems;      ///< elements in UB for one slot of a tile, with padding
    uint32_t indexElems;     ///< number of indices in UB at a time, at least those of one step
    uint32_t rowUnit;        ///< slots in UB are a multiple of this apart: kRowUnit or a block
    uint32_t gapElems;       ///< sum of the shifts of a step's rows (RowPlaces); 0 if UB is small
    uint32_t readsPastL2;    ///< 1 if the gradient rows bypass L2, else 0
};

#endif  // OP_KERNEL_MOE_INIT_ROUTING_V2_GRAD_TILING_H
