// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_TILING_H
#define OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_TILING_H

#include <cstdint>

/// Tiling data of MoeTokenPermuteWithRoutingMap, written by the host and read by the kernel.
/// Workspace, in float: `parts` rows of `countPitch` counters, one row per range of tokens; then 8
/// per block, the sums of the scan; in pad mode then `outRows` int32, the order of the tokens.
/// Counters are float because positions beyond 2^24 exist only if the map breaks its precondition.
/// A float beyond its exact range stops growing; an integer would wrap back into the bounds.
struct MoeTokenPermuteWithRoutingMapTilingData {
    int64_t tokens;     ///< rows of the map
    int64_t experts;    ///< columns of the map
    int64_t hidden;     ///< elements of a token
    int64_t slots;      ///< k, rows per token; in pad mode the capacity, rows per expert
    int64_t outRows;    ///< tokens * slots; in pad mode experts * slots
    int64_t rowStride;  ///< strides of the outputs, in elements
    int64_t colStride;
    int64_t probStride;
    int64_t indexStride;
    int64_t countPitch;   ///< experts rounded up to 32
    int64_t scanCols;     ///< experts whose counters one block scans, a multiple of 8
    int64_t colsPerPart;  ///< columns of a token that one block moves
    uint32_t parts;       ///< ranges of tokens, each with its own counters
    uint32_t rowParts;  ///< number of shares of the rows in the last phase; in non-pad mode `parts`
    uint32_t colParts;  ///< number of blocks that share one share of the rows
    uint32_t tileElems;  ///< elements of a tile of the map in the non-pad placement
    uint32_t tileRows;   ///< tokens of that tile
    uint32_t tileCols;   ///< experts of that tile, a multiple of 32
    uint32_t probRows;   ///< tokens of a tile of probs without padding, a multiple of 16
    uint32_t probCols;   ///< experts of that tile, a multiple of 32
    uint32_t rowBytes;   ///< UB bytes of one of the two buffers for token rows
    uint32_t hasProbs;
};

// Tiling keys are macros because the kernel build reads their numbers from the preprocessed source.
#define MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_KEY_COMPACT 0  // drop_and_pad = false
#define MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_KEY_PAD 1

namespace ops {
namespace MoeTokenPermuteWithRoutingMapOp {

using TilingData = MoeTokenPermuteWithRoutingMapTilingData;

/// Columns of one unit of the partition in pad mode: one block of 32 B of the map.
constexpr uint32_t kGroup = 32;
/// Elements that are written one by one through strides need a block of 32 B each; so many are
/// written at a time.
constexpr uint32_t kStageElems = 256;
constexpr uint32_t kStageBuffers = 2;
constexpr uint32_t kStageBytes = kStageBuffers * kStageElems * 32;
/// Number of positions that the last phase of pad mode reads at a time.
constexpr uint32_t kOrderRows = 1024;

/// UB bytes of the non-pad placement, without its row buffers. Per element of a tile: the map (1),
/// its halves (2), floats (4), running counts (4) with one row more, element numbers and those of
/// the routed elements (4), two sets of positions (8), a bit (1/8). The rest: the indices of the
/// tile's tokens, the stage, a few words.
constexpr uint32_t PlacementBytes(uint32_t tileElems, uint32_t tileCols, uint32_t tileSlots) {
    return tileElems * 23 + tileElems / 8 + 4 * tileCols + 4 * tileSlots + kStageBytes + 4096;
}

/// Rows of a transposed tile of probs in addition to its tokens: one block of 16-bit elements.
constexpr uint32_t kFillRows = 16;
/// Limits of instructions on a tile of probs: a repeat of halves, a count of repeats.
constexpr uint32_t kMaxProbRows = 112;
constexpr uint32_t kMaxProbCols = 128;

/// UB bytes of a tile of probs. Per element: the map (1), its halves (2), the probs. Transposed,
/// with more rows: the halves (2), a bit (1/8), the probs, the selected probs. Per expert: counts,
/// and for a tile of the map positions (4).
constexpr uint32_t ProbTileBytes(uint32_t rows, uint32_t cols, uint32_t tileCols,
                                 uint32_t probBytes) {
    return rows * cols * (3 + probBytes) + (rows + kFillRows) * cols * (2 + 2 * probBytes) +
           (rows + kFillRows) * cols / 8 + 18 * cols + 4 * tileCols + 2 * kFillRows;
}

/// UB bytes of the last phase of pad mode without its row buffers: two blocks of positions.
constexpr uint32_t GatherBytes() { return 2 * 4 * kOrderRows + kStageBytes + 1024; }

}  // namespace MoeTokenPermuteWithRoutingMapOp
}  // namespace ops

#endif  // OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_TILING_H
