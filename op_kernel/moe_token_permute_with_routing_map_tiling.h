// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_TILING_H
#define OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_TILING_H

#include <cstdint>

/// Tiling data of MoeTokenPermuteWithRoutingMap, written by the host and read by the kernel. The
/// workspace contains `parts` rows of `countPitch` float counters, one row per range of tokens;
/// then the sums of the scan, 8 floats per block; in pad mode also `outRows` int32 token numbers
/// (the order). Counters are float, because only a wrong map leads to positions above 2^24. At 2^24
/// a float counter stops growing, while an integer would later wrap back into the valid range.
struct MoeTokenPermuteWithRoutingMapTilingData {
    int64_t tokens;     ///< number of rows of the map
    int64_t experts;    ///< number of columns of the map
    int64_t hidden;     ///< number of elements of a token
    int64_t slots;      ///< k, rows per token; in pad mode the capacity, rows per expert
    int64_t outRows;    ///< tokens * slots; in pad mode experts * slots
    int64_t rowStride;  ///< this and the next three: strides of the outputs, in elements
    int64_t colStride;
    int64_t probStride;
    int64_t indexStride;
    int64_t countPitch;   ///< experts rounded up to 32
    int64_t scanCols;     ///< experts whose counters one block scans, a multiple of 8
    int64_t colsPerPart;  ///< columns of a token that one block moves
    uint32_t parts;       ///< number of ranges of tokens, each with its own counters
    uint32_t rowParts;  ///< number of shares of the rows in the last phase; in non-pad mode `parts`
    uint32_t colParts;  ///< number of blocks that divide the columns of one share of the rows
    uint32_t tileElems;  ///< elements of a tile of the map in the last phase of non-pad mode
    uint32_t tileRows;   ///< tokens of a tile of the map
    uint32_t tileCols;   ///< experts of a tile of the map, a multiple of 32
    uint32_t probRows;   ///< tokens of a tile of probs in non-pad mode, a multiple of 16
    uint32_t probCols;   ///< experts of a tile of probs, a multiple of 32
    uint32_t rowBytes;   ///< UB bytes of one of the two buffers for token rows
    uint32_t hasProbs;
};

// Tiling keys are macros because the kernel build reads their numbers from the preprocessed source.
#define MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_KEY_COMPACT 0  // drop_and_pad = false
#define MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_KEY_PAD 1

namespace ops {
namespace MoeTokenPermuteWithRoutingMapOp {

using TilingData = MoeTokenPermuteWithRoutingMapTilingData;

/// Experts of one unit of work in pad mode: 32 B of a row of the map.
constexpr uint32_t kGroup = 32;
/// Number of elements that StridedWriter handles at a time. Each of them needs a block of 32 B.
constexpr uint32_t kStageElems = 256;
constexpr uint32_t kStageBuffers = 2;
constexpr uint32_t kStageBytes = kStageBuffers * kStageElems * 32;
/// Number of token numbers that the last phase of pad mode loads from the workspace at a time.
constexpr uint32_t kOrderRows = 1024;

/// Returns the UB bytes of the last phase of non-pad mode, without its row buffers. Bytes for each
/// element of a tile: map 1, map as half 2, map as float 4, running counts 4 (plus one row), number
/// of the element 2, numbers of routed elements 2, two buffers of positions 8, mask bit 1/8. Also
/// counts the indices of a tile, the buffers of StridedWriter and 4096 bytes for small buffers.
constexpr uint32_t PlacementBytes(uint32_t tileElems, uint32_t tileCols, uint32_t tileSlots) {
    return tileElems * 23 + tileElems / 8 + 4 * tileCols + 4 * tileSlots + kStageBytes + 4096;
}

/// Number of elements after each expert's tokens in a transposed tile of probs: one 32-byte block.
constexpr uint32_t kFillRows = 16;
/// Largest tile of probs, as numbers of tokens and experts. An expert's tokens and kFillRows
/// fillers together fill one repeat, 128 elements of half.
constexpr uint32_t kMaxProbRows = 112;
constexpr uint32_t kMaxProbCols = 128;

/// Returns the UB bytes of a tile of probs. Bytes for each element: map 1, map as half 2, prob
/// probBytes. Bytes for each element of the transposed tile, which has kFillRows more rows: map as
/// half 2, mask bit 1/8, prob and selected prob 2 * probBytes. Also counts 18 bytes for each expert
/// of the tile (counts), and 4 for each expert of a tile of the map (positions).
constexpr uint32_t ProbTileBytes(uint32_t rows, uint32_t cols, uint32_t tileCols,
                                 uint32_t probBytes) {
    return rows * cols * (3 + probBytes) + (rows + kFillRows) * cols * (2 + 2 * probBytes) +
           (rows + kFillRows) * cols / 8 + 18 * cols + 4 * tileCols + 2 * kFillRows;
}

/// Returns the UB bytes of the last phase of pad mode, without its row buffers.
constexpr uint32_t GatherBytes() { return 2 * 4 * kOrderRows + kStageBytes + 1024; }

}  // namespace MoeTokenPermuteWithRoutingMapOp
}  // namespace ops

#endif  // OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_TILING_H
