// SPDX-License-Identifier: Apache-2.0
#ifndef OP_HOST_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_PLAN_H
#define OP_HOST_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_PLAN_H

#include <algorithm>
#include <cstdint>

#include "common/chip.h"
#include "common/l2_plan.h"
#include "common/tiling_math.h"
#include "moe_token_permute_with_routing_map_tiling.h"

namespace optiling {
namespace moe_token_permute {

namespace op = ops::MoeTokenPermuteWithRoutingMapOp;
using op::TilingData;

constexpr int64_t kMapUnit = 32;  // int8 elements of the map in a block
constexpr int64_t kScanUnit = 8;  // float counters in a block
// Elements in a tile of the map in non-pad mode. With fewer elements, the fixed cost of two dozen
// instructions is too high. With more elements, UB has too little room for the rows of tokens.
constexpr int64_t kTileElems = 2048;
constexpr int64_t kLargeTileElems = 4096;
constexpr int64_t kHugeTileElems = 6144;  // if there are no rows of tokens in UB
constexpr int64_t kTileUnit = 128;
constexpr int64_t kMaxTileRows = 255;  // repeats of an instruction
// Experts in a tile if a tile cannot hold all of them. The tile then has eight tokens. More experts
// are better, because a token's row is loaded once for each tile that routes the token.
constexpr int64_t kChunkCols = 512;
// Elements in a tile of the map when tokens are counted.
constexpr int64_t kCountElems = 32768;
constexpr int64_t kSmallCountElems = 8192;
constexpr int64_t kPadCountElems = 4096;
constexpr int64_t kScanElems = 24576;  // counters that PositionScan has in UB at the same time
// Every block counts all tokens of a map with at most so many elements. The blocks would need more
// time to wait for each other.
constexpr int64_t kWholeMapElems = 98304;
// Limits of ExpertRuns.
constexpr int64_t kRunUnit = 32;  // an odd number of blocks in the transposed tile, with kFillRows
constexpr int64_t kMaxPartitionRows = 256;  // tokens of a tile in pad mode
constexpr int64_t kMaxRunCols = 256;
constexpr int64_t kMaxRunElems = 16384;
constexpr int64_t kPieceRows = 512;
constexpr int64_t kPieceUnit = 64;
constexpr int64_t kPieceBytes = 16384;  // collected rows of a piece
constexpr int64_t kPackedElems = 2048;  // collected elements of a piece
constexpr int64_t kBlocksPerRepeat = 8;
// Longest token that is collected element by element. L2 merges a row of less than 128 B with a
// line, if the row is stored alone; this takes as long as V needs for some 20 elements.
constexpr int64_t kMostPacked = 16;
constexpr int64_t kMaxRunRowBytes = 2048;
constexpr int64_t kMostRunBytes = 98304;  // if ExpertRuns moves only probs
constexpr int64_t kMinRowBuffers = 16384;
constexpr int64_t kSpareBytes = 2048;  // small buffers
// Estimates, in cycles: the start of a block, the start of ExpertRuns for probs or tokens, a copy
// of an output row or of a prob, an expert of a tile of ExpertRuns without tokens, a copy of a run,
// a tile of ExpertRuns without its elements; elements and bytes that a core processes in a cycle.
constexpr int64_t kBlockCycles = 270;
constexpr int64_t kRunStartCycles = 3000;
constexpr int64_t kCopyCycles = 40;
constexpr int64_t kProbCycles = 36;
constexpr int64_t kSkipCycles = 20;
constexpr int64_t kRunCycles = 22;
constexpr int64_t kTileCycles = 1200;
constexpr int64_t kElemsPerCycle = 5;
constexpr int64_t kBytesPerCycle = 43;
// A copy of 16 KiB reaches full bandwidth. With longer copies, the first copy to GM starts later.
constexpr int64_t kMaxRowBytes = 16384;
// A longer row, up to this length, is one copy too. Two copies would take much longer for one
// column more than a copy has.
constexpr int64_t kLongestRowBytes = 32768;
// Fixed cost of one unit of work in pad mode, expressed as a number of the map's rows.
constexpr int64_t kUnitOverheadRows = 64;
constexpr int64_t kMinUnitRows = 256;

/// Numbers from the attributes, the dtype and the hardware.
struct Problem {
    bool pad = false;
    int64_t elemBytes = 0;
    Chip chip;
};

/// Splits the rows among at most `most` blocks. If there are fewer rows than blocks and `mayShare`
/// is set, several blocks share a row, in parts that are a multiple of 512 B.
inline void SplitRows(const Problem& problem, int64_t rows, int64_t most, bool mayShare,
                      TilingData* tiling) {
    const int64_t unit = kGmAlignBytes / problem.elemBytes;
    const int64_t rowParts = std::min(rows, most);
    const int64_t wanted = mayShare ? std::max<int64_t>(most / rowParts, 1) : 1;
    tiling->colsPerPart = RoundUp(CeilDiv(tiling->hidden, wanted), unit);
    tiling->rowParts = static_cast<uint32_t>(rowParts);
    tiling->colParts = static_cast<uint32_t>(CeilDiv(tiling->hidden, tiling->colsPerPart));
}

/// Returns how many blocks are worth their start. `cycles` is the work of all blocks together. With
/// n blocks the launch takes about cycles / n + n * kBlockCycles, which is least for this n.
inline int64_t WorthBlocks(const Problem& problem, int64_t cycles) {
    int64_t blocks = 1;
    while (blocks < problem.chip.vectorCores && blocks * blocks * kBlockCycles < cycles) {
        ++blocks;
    }
    return blocks;
}

/// Sets the size of a row buffer: half of the free UB, at most 16 KiB or one longer row, and at
/// most `rows` rows.
inline bool FitRowBuffers(const Problem& problem, int64_t usedBytes, int64_t rows,
                          TilingData* tiling) {
    const int64_t left = (problem.chip.ubBytes - usedBytes) / 2 / kGmAlignBytes * kGmAlignBytes;
    const int64_t columns = std::min(tiling->colsPerPart, tiling->hidden);
    const int64_t row = RoundUp(columns * problem.elemBytes, kBlockBytes);
    const int64_t one = std::min(RoundUp(row, kGmAlignBytes), kLongestRowBytes);
    tiling->rowBytes =
        static_cast<uint32_t>(std::min(left, std::max(one, std::min(one * rows, kMaxRowBytes))));
    return left > 0;
}

/// Chooses how ExpertRuns keeps rows of `rowBytes` bytes in UB, and the size of its pieces.
inline void PlanRows(int64_t rowBytes, TilingData* tiling) {
    const int64_t blocks = CeilDiv(rowBytes, kBlockBytes);
    int64_t rowBlocks = RoundUp(blocks, kBlocksPerRepeat);
    while (blocks < kBlocksPerRepeat && rowBlocks / 2 >= blocks) {
        rowBlocks /= 2;
    }
    const bool packed = rowBytes % kBlockBytes != 0 && tiling->hidden <= kMostPacked &&
                        tiling->rowStride == tiling->hidden;
    const int64_t piece =
        packed ? kPackedElems / tiling->hidden : kPieceBytes / (rowBlocks * kBlockBytes);
    tiling->rowBlocks = static_cast<uint32_t>(rowBlocks);
    tiling->packedRows = packed ? 1 : 0;
    tiling->pieceRows = static_cast<uint32_t>(
        std::min(std::max(piece / kPieceUnit * kPieceUnit, kPieceUnit), kPieceRows));
}

/// Returns the UB bytes of ExpertRuns with this tile.
inline int64_t RunBytes(const Problem& problem, const TilingData& tiling, int64_t rows,
                        int64_t cols) {
    const auto elemBytes = static_cast<uint32_t>(problem.elemBytes);
    const auto runRows = static_cast<uint32_t>(rows);
    const int64_t bytes = op::RunBytes(runRows, static_cast<uint32_t>(cols), tiling.tileCols,
                                       tiling.pieceRows, tiling.hasProbs != 0 ? elemBytes : 0);
    if (tiling.packedRows != 0) {
        return bytes + op::PackedTokenBytes(runRows, tiling.pieceRows,
                                            static_cast<uint32_t>(tiling.hidden), elemBytes);
    }
    return bytes + (tiling.rowBlocks != 0
                        ? op::RunTokenBytes(runRows, tiling.pieceRows, tiling.rowBlocks)
                        : 0);
}

/// Chooses a tile of ExpertRuns for `tokens` tokens of a block: as many tokens as fit into
/// `ubBytes`, because then the runs of an expert are long; then as many experts as fit; then long
/// pieces. If `rowBytes` is not 0, the tile has the tokens' rows too. Returns false if nothing
/// fits.
inline bool PlanRuns(const Problem& problem, int64_t tokens, int64_t ubBytes, int64_t rowBytes,
                     TilingData* tiling) {
    tiling->pieceRows = kPieceRows;
    if (rowBytes != 0) {
        PlanRows(rowBytes, tiling);
    }
    const auto fits = [&](int64_t rows, int64_t cols) {
        return RunBytes(problem, *tiling, rows, cols) <= ubBytes;
    };
    int64_t rows = op::kMaxRunRows;
    while (rows > kRunUnit && !fits(rows, kMapUnit)) {
        rows -= kRunUnit;
    }
    // Equal tiles of at most `rows` tokens.
    rows = RoundUp(CeilDiv(tokens, CeilDiv(tokens, rows)), kRunUnit);
    int64_t cols = kMapUnit;
    while (cols < kMaxRunCols && tiling->countPitch % (2 * cols) == 0 && fits(rows, 2 * cols) &&
           2 * cols * (rows + op::kFillRows) <= kMaxRunElems) {
        cols *= 2;
    }
    const int64_t most = std::min<int64_t>(kPieceRows, (rows + op::kFillRows) * cols);
    while (tiling->packedRows == 0 && tiling->pieceRows < most) {
        tiling->pieceRows += kPieceUnit;
        if (!fits(rows, cols)) {
            tiling->pieceRows -= kPieceUnit;
            break;
        }
    }
    tiling->runRows = static_cast<uint32_t>(rows);
    tiling->runCols = static_cast<uint32_t>(cols);
    return fits(rows, cols);
}

/// Estimates the cycles in which ExpertRuns writes the runs of a block.
inline int64_t RunCycles(const TilingData& tiling, int64_t tokens) {
    const int64_t rowTiles = CeilDiv(tokens, tiling.runRows);
    const int64_t tiles = rowTiles * CeilDiv(tiling.countPitch, tiling.runCols);
    const int64_t routed = tokens * tiling.slots;
    const int64_t runs = std::min(routed, rowTiles * tiling.experts);
    const int64_t elems = (tiling.runRows + op::kFillRows) * tiling.runCols;
    const int64_t stores = (tiling.hasProbs != 0 ? 1 : 0) + (tiling.rowBlocks != 0 ? 1 : 0);
    return kRunStartCycles * stores + tiles * (kTileCycles + elems / kElemsPerCycle) +
           rowTiles * tiling.countPitch * kSkipCycles + runs * stores * kRunCycles +
           routed * (2 + (tiling.packedRows != 0 ? tiling.hidden / 2 : tiling.rowBlocks));
}

/// Plans how a block with `tokens` tokens writes their probs: one by one, or in the runs of
/// ExpertRuns. `used` is the UB that is in use. Returns the additional UB bytes; `cycles` gets the
/// estimated time.
inline int64_t PlanProbs(const Problem& problem, int64_t tokens, int64_t used, int64_t* cycles,
                         TilingData* tiling) {
    const int64_t room = std::min(problem.chip.ubBytes - used - kMinRowBuffers, kMostRunBytes);
    *cycles = tokens * tiling->slots * kProbCycles;
    const bool resident = tiling->experts <= tiling->tileCols;
    if (resident && PlanRuns(problem, tokens, room, 0, tiling) &&
        RunCycles(*tiling, tokens) < *cycles) {
        *cycles = RunCycles(*tiling, tokens);
        return RunBytes(problem, *tiling, tiling->runRows, tiling->runCols);
    }
    tiling->runCols = 0;
    return op::EachProbBytes(tiling->tileElems, static_cast<uint32_t>(problem.elemBytes));
}

/// Plans ExpertRuns so that it moves the tokens too, if that takes less than `cycles` cycles.
/// Returns false if not.
inline bool PlanTokenRuns(const Problem& problem, int64_t tokens, int64_t cycles,
                          TilingData* tiling) {
    const int64_t rowBytes = tiling->hidden * problem.elemBytes;
    if (rowBytes > kMaxRunRowBytes || tiling->colStride != 1 || tiling->colParts != 1 ||
        tiling->experts > tiling->tileCols) {
        return false;
    }
    const int64_t ubBytes = problem.chip.ubBytes - op::kStageBytes - kSpareBytes -
                            tiling->tileCols * static_cast<int64_t>(sizeof(float));
    return PlanRuns(problem, tokens, ubBytes, rowBytes, tiling) &&
           RunCycles(*tiling, tokens) < cycles;
}

/// Estimates the cycles of the work of all blocks together in the mode without padding.
inline int64_t WorkCycles(const Problem& problem, const TilingData& tiling) {
    const int64_t rowBytes = tiling.hidden * problem.elemBytes;
    return tiling.outRows * (kCopyCycles + rowBytes / kBytesPerCycle) +
           tiling.tokens * tiling.countPitch / 8;
}

/// Plans the tiles of the map that a block with `tokens` tokens processes.
inline void PlanMapTile(int64_t tokens, int64_t elems, TilingData* tiling) {
    const bool resident = tiling->countPitch <= kLargeTileElems;
    tiling->tileCols = static_cast<uint32_t>(resident ? tiling->countPitch : kChunkCols);
    const int64_t rows =
        std::min<int64_t>(std::min(elems / tiling->tileCols, tokens), kMaxTileRows);
    tiling->tileRows = static_cast<uint32_t>(rows);
    tiling->tileElems = static_cast<uint32_t>(RoundUp(rows * tiling->tileCols, kTileUnit));
}

inline int64_t PlacementBytes(const TilingData& tiling) {
    return op::PlacementBytes(tiling.tileElems, tiling.tileCols,
                              tiling.tileRows * static_cast<uint32_t>(tiling.slots));
}

/// Plans how a block finds the first positions and whether they stay in UB while tokens are placed,
/// which takes `used` bytes and at least `atLeast`, but better `wanted` bytes more. Returns the
/// additional bytes in UB.
inline int64_t PlanScan(const Problem& problem, int64_t used, int64_t atLeast, int64_t wanted,
                        TilingData* tiling) {
    const int64_t ubBytes = problem.chip.ubBytes;
    if (tiling->readsWholeMap != 0) {
        const int64_t count = op::CountBytes(tiling->countElems, tiling->countPitch);
        tiling->keepsPositions = used + count + atLeast <= ubBytes ? 1 : 0;
        return tiling->keepsPositions != 0 ? count : 0;
    }
    const auto bytes = [&](int64_t chunk) -> int64_t {
        return op::ScanBytes(tiling->parts, static_cast<uint32_t>(chunk), tiling->countPitch);
    };
    const int64_t most =
        std::min(tiling->countPitch, kScanElems / tiling->parts / kMapUnit * kMapUnit);
    int64_t chunk = most;
    while (chunk > kMapUnit && used + bytes(chunk) + wanted > ubBytes) {
        chunk -= kMapUnit;
    }
    const bool keeps = used + bytes(chunk) + atLeast <= ubBytes;
    tiling->keepsPositions = keeps ? 1 : 0;
    tiling->scanChunk = static_cast<uint32_t>(keeps ? chunk : most);
    return keeps ? bytes(chunk) : 0;
}

/// Plans the mode without padding: each block gets a range of tokens. Sets the number of blocks.
inline bool PlanCompact(const Problem& problem, TilingData* tiling, int64_t* blocks) {
    const bool resident = tiling->countPitch <= kLargeTileElems;
    const int64_t worth = WorthBlocks(problem, WorkCycles(problem, *tiling));
    SplitRows(problem, tiling->tokens, worth, resident, tiling);
    *blocks = static_cast<int64_t>(tiling->rowParts) * tiling->colParts;
    tiling->parts = tiling->rowParts;
    tiling->scanCols = RoundUp(CeilDiv(tiling->countPitch, *blocks), kScanUnit);
    const bool alone = resident && tiling->tokens * tiling->countPitch <= kWholeMapElems;
    tiling->readsWholeMap = alone ? 1 : 0;
    tiling->countElems = alone ? kSmallCountElems : kCountElems;
    const int64_t tokens = CeilDiv(tiling->tokens, tiling->parts);
    PlanMapTile(tokens, tiling->countPitch <= kTileElems ? kTileElems : kLargeTileElems, tiling);
    int64_t used = PlacementBytes(*tiling);
    int64_t probCycles = 0;
    TilingData runs = *tiling;
    if (tiling->hasProbs != 0) {
        used += PlanProbs(problem, tokens, used, &probCycles, tiling);
    }
    const int64_t copyCycles = tokens * tiling->slots * kCopyCycles;
    if (PlanTokenRuns(problem, tokens, copyCycles + probCycles, &runs)) {
        *tiling = runs;
        PlanMapTile(tokens, kHugeTileElems, tiling);
        if (PlacementBytes(*tiling) > problem.chip.ubBytes) {
            PlanMapTile(tokens, kLargeTileElems, tiling);
        }
        tiling->rowBytes = kGmAlignBytes;
        if (!alone) {
            PlanScan(problem, PlacementBytes(*tiling), 0, 0, tiling);
        }
        return true;
    }
    used += resident ? PlanScan(problem, used, kMinRowBuffers, 2 * kMaxRowBytes, tiling) : 0;
    return FitRowBuffers(problem, used, tiling->tileRows, tiling);
}

/// Plans the mode with padding. A unit of work is 32 experts times a range of tokens. Chooses the
/// number of ranges so that few cores are idle while the last units are processed.
inline bool PlanPad(const Problem& problem, TilingData* tiling, int64_t* blocks) {
    const int64_t groups = CeilDiv(tiling->experts, op::kGroup);
    const int64_t worth = WorthBlocks(problem, WorkCycles(problem, *tiling));
    const int64_t most = std::min(worth, CeilDiv(tiling->tokens, kMinUnitRows));
    int64_t bestCost = INT64_MAX;
    for (int64_t parts = 1; parts <= most; ++parts) {
        const int64_t cost =
            CeilDiv(groups * parts, worth) * (CeilDiv(tiling->tokens, parts) + kUnitOverheadRows);
        if (cost < bestCost) {
            bestCost = cost;
            tiling->parts = static_cast<uint32_t>(parts);
        }
    }
    const bool alone = tiling->tokens * op::kGroup <= kWholeMapElems;
    tiling->readsWholeMap = alone ? 1 : 0;
    tiling->countElems = alone ? kPadCountElems : kCountElems;
    tiling->tileCols = op::kGroup;
    tiling->runCols = op::kGroup;
    tiling->pieceRows = kPieceRows;
    const int64_t part = CeilDiv(tiling->tokens, tiling->parts);
    const int64_t used =
        op::PartitionBytes(tiling->parts, tiling->pieceRows,
                           static_cast<uint32_t>(tiling->hasProbs != 0 ? problem.elemBytes : 0),
                           alone ? op::CountBytes(tiling->countElems, op::kGroup) : 0);
    int64_t rows = std::min(RoundUp(part, kRunUnit), kMaxPartitionRows);
    while (rows > kRunUnit &&
           used + RunBytes(problem, *tiling, rows, op::kGroup) > problem.chip.ubBytes) {
        rows -= kRunUnit;
    }
    tiling->runRows = static_cast<uint32_t>(rows);
    SplitRows(problem, tiling->outRows, worth, true, tiling);
    *blocks = std::max(std::min(groups * tiling->parts, worth),
                       static_cast<int64_t>(tiling->rowParts) * tiling->colParts);
    return FitRowBuffers(problem, op::GatherBytes(), CeilDiv(tiling->outRows, *blocks), tiling);
}

/// Decides which accesses bypass L2. Non-pad mode reads a token once, pad mode once for each of its
/// rows. Both read the map at least twice.
inline void PlanCaches(const Problem& problem, TilingData* tiling) {
    const int64_t tokens = tiling->tokens * tiling->hidden * problem.elemBytes;
    const int64_t map = tiling->tokens * tiling->experts;
    const int64_t rowBytes = tiling->hidden * problem.elemBytes;
    const int64_t probs = tiling->hasProbs != 0 ? map * problem.elemBytes : 0;
    const Traffic traffic = {probs + (problem.pad ? 0 : tokens), map + (problem.pad ? tokens : 0),
                             tiling->outRows * rowBytes};
    const L2Plan plan = PlanL2(problem.chip, traffic);
    tiling->readsPastL2 = plan.readsPastL2 && !problem.pad ? 1 : 0;
    tiling->rowsInL2 = plan.writtenThroughL2 / rowBytes;
}

}  // namespace moe_token_permute
}  // namespace optiling

#endif  // OP_HOST_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_PLAN_H
