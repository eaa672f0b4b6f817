// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_TILING_H
#define OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_TILING_H

#include <cstdint>

/// Tiling data of MoeTokenPermuteWithRoutingMap, written by the host and read by the kernel. The
/// workspace contains `parts` rows of `countPitch` float counters, one row per range of tokens;
/// then the sums of the scan, 8 floats per block; then `countPitch` floats per block, the first
/// output position of each expert. Pad mode has `outRows` int32 token numbers (the order) instead.
/// Counters are float, because only a wrong map leads to positions above 2^24. At 2^24 a float
/// counter stops growing, while an integer would later wrap back into the valid range.
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
    int64_t rowsInL2;     ///< output rows before this one go through L2, the others bypass it
    uint32_t parts;       ///< number of ranges of tokens, each with its own counters
    uint32_t rowParts;  ///< number of shares of the rows in the last phase; in non-pad mode `parts`
    uint32_t colParts;  ///< number of blocks that divide the columns of one share of the rows
    uint32_t tileElems;   ///< elements of a tile of the map in the last phase of non-pad mode
    uint32_t tileRows;    ///< tokens of a tile of the map
    uint32_t tileCols;    ///< experts of a tile of the map, a multiple of 32
    uint32_t countElems;  ///< elements of a tile of the map when tokens are counted
    uint32_t
        readsWholeMap;  ///< 1 if every block counts all tokens, so that blocks exchange nothing
    uint32_t keepsPositions;  ///< 1 if the positions stay in UB while tokens are placed
    uint32_t scanChunk;   ///< experts whose counters PositionScan has in UB; 0 if it reads a map
    uint32_t runRows;     ///< tokens of a tile of ExpertRuns, a multiple of 32
    uint32_t runCols;     ///< its experts, a power of two; 0 if probs are written one by one
    uint32_t pieceRows;   ///< routed tokens that ExpertRuns processes at a time
    uint32_t rowBlocks;   ///< blocks of 32 B of a token in ExpertRuns; 0 if it moves only probs
    uint32_t packedRows;  ///< 1 if ExpertRuns collects tokens element by element, without gaps
    uint32_t rowBytes;    ///< UB bytes of one of the two buffers for token rows
    uint32_t hasProbs;
    uint32_t readsPastL2;  ///< 1 if reads of tokens bypass L2
};

// Tiling keys are macros because the kernel build reads their numbers from the preprocessed source.
#define MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_KEY_COMPACT 0  // drop_and_pad = false
#define MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_KEY_PAD 1

namespace ops {
namespace MoeTokenPermuteWithRoutingMapOp {

using TilingData = MoeTokenPermuteWithRoutingMapTilingData;

/// Experts of one unit of work in pad mode: 32 B of a row of the map.
constexpr uint32_t kGroup = 32;
//// Units of 2 KiB of code that a preload requests: the most that fit into the instruction cache.
constexpr int64_t kPreloadUnits = 7;
// Number of elements that StridedWriter handles at a time. Each of them needs a block of 32 B.
constexpr uint32_t kStageElems = 256;
constexpr uint32_t kStageBuffers = 2;
constexpr uint32_t kStageBytes = kStageBuffers * kStageElems * 32;
/// Number of token numbers that the last phase of pad mode loads from the workspace at a time.
constexpr uint32_t kOrderRows = 1024;

/// Number of output rows that a block touches without a barrier.
constexpr uint32_t kTouched = 64;

/// Returns the UB bytes of a tile of the map in non-pad mode. Bytes for each element: map 1, map as
/// half 2, positions 4, selected positions 4, its row 2, rows of routed elements 2, two buffers of
/// positions 8, mask bit 1/8. Also counts the indices of a tile and their rows, the positions of
/// the experts, the buffers of StridedWriter, touched rows and 4096 bytes for small buffers.
constexpr uint32_t PlacementBytes(uint32_t tileElems, uint32_t tileCols, uint32_t tileSlots) {
    return tileElems * 23 + tileElems / 8 + 4 * tileCols + 6 * tileSlots + kStageBytes +
           kTouched * 32 + 4096;
}

/// Returns the UB bytes of TokenProbs: probs of a tile, and the selected ones.
constexpr uint32_t EachProbBytes(uint32_t tileElems, uint32_t probBytes) {
    return 2 * tileElems * probBytes;
}

/// Number of elements after each expert's tokens in a transposed tile: one 32-byte block.
constexpr uint32_t kFillRows = 16;
/// Largest number of tokens in a tile of ExpertRuns: strides count up to 255 blocks.
constexpr uint32_t kMaxRunRows = 480;

/// Returns the UB bytes of ExpertRuns. Bytes for each element of the transposed tile: map 1, map as
/// half 2, transposed 2, number 2, mask bit 1/8. Also counts the probs of the tile, 30 bytes for
/// each expert of the tile, 4 for each expert of a tile of the map (positions), and for a piece of
/// the list 12 bytes and two buffers of probs for each element.
constexpr uint32_t RunBytes(uint32_t rows, uint32_t cols, uint32_t tileCols, uint32_t pieceRows,
                            uint32_t probBytes) {
    return (rows + kFillRows) * cols * 7 + (rows + kFillRows) * cols / 8 + rows * cols * probBytes +
           30 * cols + 4 * tileCols + pieceRows * (12 + 2 * probBytes) + 1024;
}

/// Returns the UB bytes that ExpertRuns needs for tokens: rows of a tile, two buffers of collected
/// rows, and the offsets of their blocks.
constexpr uint32_t RunTokenBytes(uint32_t rows, uint32_t pieceRows, uint32_t rowBlocks) {
    return (rows + 2 * pieceRows) * rowBlocks * 32 + pieceRows * (32 + 4 * rowBlocks) + 32;
}

/// Returns the same for packed rows of `hidden` elements. An element of a piece has three numbers.
constexpr uint32_t PackedTokenBytes(uint32_t rows, uint32_t pieceRows, uint32_t hidden,
                                    uint32_t elemBytes) {
    return (rows + 2 * pieceRows) * hidden * elemBytes + 3 * pieceRows * hidden * 4 + 96;
}

/// Returns the UB bytes in which a block counts tokens and finds the first positions, if it reads
/// the whole map: two buffers of the map 2, map as half 2 for each element of a tile, and 24 for
/// each expert.
constexpr uint32_t CountBytes(uint32_t countElems, uint32_t countPitch) {
    return countElems * 4 + countPitch * 24;
}

/// Returns the UB bytes of PositionScan that reads the counters of `chunk` experts at a time.
constexpr uint32_t ScanBytes(uint32_t parts, uint32_t chunk, uint32_t countPitch) {
    return countPitch * 20 + parts * chunk * 4;
}

/// Returns the UB bytes in which a block partitions tokens in pad mode, without ExpertRuns: a tile
/// of 256 tokens and kGroup experts (map 1, map as half 2, transposed 2, probs, mask bit 1/8),
/// three lists of 256 numbers and one of probs, the counters, two lists of numbers of ExpertRuns,
/// and `countBytes` if the block counts tokens itself.
constexpr uint32_t PartitionBytes(uint32_t parts, uint32_t pieceRows, uint32_t probBytes,
                                  uint32_t countBytes) {
    return 256 * kGroup * (5 + probBytes) + 256 * kGroup / 8 + 256 * (12 + probBytes) +
           parts * kGroup * 4 + pieceRows * 8 + countBytes + kStageBytes + 2048;
}

/// Returns the UB bytes of the last phase of pad mode, without its row buffers.
constexpr uint32_t GatherBytes() { return 2 * 4 * kOrderRows + kStageBytes + 1024; }

}  // namespace MoeTokenPermuteWithRoutingMapOp
}  // namespace ops

#endif  // OP_KERNEL_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_TILING_H
