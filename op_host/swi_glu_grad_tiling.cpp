// SPDX-License-Identifier: Apache-2.0
#include "swi_glu_grad_tiling.h"

#include <algorithm>
#include <cstdint>

#include "common/chip.h"
#include "common/copy_costs.h"
#include "common/l2_plan.h"
#include "common/tiling_math.h"
#include "register/op_def_registry.h"
#include "swi_glu_grad_interface.h"

namespace optiling {
namespace {

namespace op = ops::SwiGluGradOp;

// Heads of the vector instructions of a tile, and their cycles for 64 elements.
constexpr int64_t kVectorHeads = 380;
constexpr int64_t kVectorCyclesHalf = 18;
constexpr int64_t kVectorCyclesFloat = 13;
constexpr int64_t kVectorElems = 64;
// Least time of a tile: its scalar work, and the time that the pipes wait for each other.
constexpr int64_t kLeastTileCycles = 900;
// Least time in which a copy loads a row.
constexpr int64_t kRowCycles = 4;
// Time, in 1 / 1024 cycles, that L2 needs to store a row of less than kNarrowBytes. L2 serves all
// blocks in turn, so this is multiplied by the number of blocks.
constexpr int64_t kNarrowStoreCycles = 700;
// Gather of a and b, and of both results, for 64 elements; and the offsets for Gather, which a
// block computes once: heads of the instructions, and cycles for 64 elements.
constexpr int64_t kGatherCycles = 48;
constexpr int64_t kOffsetHeads = 700;
constexpr int64_t kOffsetCycles = 30;
// Numbers of operands that a tile loads (a, b and yGrad) and stores (the gradients of a and b).
constexpr int64_t kLoads = 3;
constexpr int64_t kStores = 2;

/// Numbers from the shape and the hardware, with which a tile is chosen.
struct Problem {
    int64_t rows = 1;
    int64_t cols = 1;  // number of columns of a and of b, the two parts of x
    int64_t elemBytes = 0;
    int64_t cores = 0;
    int64_t tileElems = 0;  // largest number of elements that one operand of a tile may have in UB
    int64_t narrowElems = 0;  // the same for NarrowKernel
    L2Plan l2;

    int64_t Elems() const { return rows * cols; }
};

/// A tile, the number of blocks that share the tiles, and the cost: the modelled time of a launch.
struct Choice {
    int64_t rowsPerTile = 0;
    int64_t colsPerTile = 0;
    int64_t blocks = 0;
    int64_t tileCycles = 0;  // time of a tile between the first and the last one of a block
    int64_t cost = INT64_MAX;
    bool narrow = false;
};

/// A tile that is tried.
struct Tile {
    int64_t rows;
    int64_t cols;
    int64_t rowElems;  // elements from row to row in UB; NarrowKernel has no gaps between rows
    bool narrow;       // NarrowKernel processes the tile

    int64_t Elems() const { return rows * rowElems; }
};

/// Returns the time between two tiles of a block if copies and scalar work decide it.
int64_t CopyCycles(const Problem& problem, const Tile& tile, int64_t blocks) {
    const int64_t bytes = tile.Elems() * problem.elemBytes;
    int64_t copies = kLoads * bytes / LoadBytesPerCycle(blocks);
    if (!tile.narrow) {
        copies = std::max(copies, kLoads * tile.rows * kRowCycles);
        if (tile.cols * problem.elemBytes < kNarrowBytes) {
            copies = std::max(copies, kStores * tile.rows * blocks * kNarrowStoreCycles / 1024);
        }
    }
    return std::max(copies, kLeastTileCycles);
}

/// Returns the time in which the vector unit computes a tile.
int64_t VectorCycles(const Problem& problem, const Tile& tile) {
    const int64_t perRepeat = (problem.elemBytes == 2 ? kVectorCyclesHalf : kVectorCyclesFloat) +
                              (tile.narrow ? kGatherCycles : 0);
    return kVectorHeads + CeilDiv(tile.Elems(), kVectorElems) * perRepeat;
}

/// Tries a tile with each number of blocks that gives all blocks about the same number of tiles
/// (`count`).
/// The load of the first tile and the store of the last one overlap with nothing. The cost has one
/// minimum, so the search ends when it rises.
void Try(const Problem& problem, const Tile& tile, Choice* best) {
    const int64_t tiles = CeilDiv(problem.rows, tile.rows) * CeilDiv(problem.cols, tile.cols);
    const int64_t vector = VectorCycles(problem, tile);
    const int64_t repeats = CeilDiv(tile.Elems(), kVectorElems);
    const int64_t offsets = tile.narrow ? kOffsetHeads + repeats * kOffsetCycles : 0;
    int64_t last = INT64_MAX;
    for (int64_t count = CeilDiv(tiles, problem.cores); count <= tiles; ++count) {
        const int64_t blocks = CeilDiv(tiles, count);
        const int64_t copies = CopyCycles(problem, tile, blocks);
        const int64_t slowest = std::max(copies, vector);
        const int64_t store =
            kStoreLatency + kStores * tile.Elems() * problem.elemBytes / kCoreBytesPerCycle;
        const int64_t cost = blocks * kBlockCycles + std::max(kLoadLatency + copies, offsets) +
                             (count - 1) * slowest + vector + store;
        if (cost > last) {
            return;
        }
        last = cost;
        if (cost < best->cost) {
            best->rowsPerTile = tile.rows;
            best->colsPerTile = tile.cols;
            best->blocks = blocks;
            best->tileCycles = slowest;
            best->cost = cost;
            best->narrow = tile.narrow;
        }
    }
}

/// Tries tiles for NarrowKernel: whole rows of a few bytes. The number of rows decreases by 1 / 64
/// from one tile to the next, because there may be thousands of rows.
void TryNarrowRows(const Problem& problem, Choice* best) {
    const int64_t most = std::min(problem.narrowElems / problem.cols, problem.rows);
    if (problem.cols * problem.elemBytes < kNarrowBytes) {
        for (int64_t rows = most; rows >= 1; rows -= CeilDiv(rows, 64)) {
            Try(problem, {rows, problem.cols, problem.cols, true}, best);
        }
    }
}

/// Tries tiles of one or more whole rows, which are best for short rows.
void TryRows(const Problem& problem, Choice* best) {
    const int64_t pitch = RoundUp(problem.cols, kBlockBytes / problem.elemBytes);
    const int64_t most =
        std::min(std::min(problem.tileElems / pitch, problem.rows), kMaxBlockCount);
    for (int64_t rows = most; rows >= 1; --rows) {
        Try(problem, {rows, problem.cols, pitch, false}, best);
    }
}

/// Tries tiles of a part of one row, which are best for long rows or fewer rows than cores.
void TryCols(const Problem& problem, Choice* best) {
    const int64_t unit = kGmAlignBytes / problem.elemBytes;
    const int64_t most = std::min(CeilDiv(problem.cols, unit), problem.tileElems / unit);
    for (int64_t units = most; units >= 1; --units) {
        const int64_t cols = std::min(units * unit, problem.cols);
        Try(problem, {1, cols, RoundUp(cols, kBlockBytes / problem.elemBytes), false}, best);
    }
}

/// Returns the number of copies with which a tile's rows are loaded. If two neighbouring rows have
/// bytes in the same 32 B of GM, a copy of both waits for the first row before it reads the second
/// one. So each copy reads only rows that are far enough apart. pitchElems: elements from row to
/// row in GM.
int64_t CopiesOfRows(const Problem& problem, const Choice& choice, int64_t pitchElems) {
    const int64_t rowBytes = problem.cols * problem.elemBytes;
    const bool apart = choice.narrow || choice.rowsPerTile == 1 || rowBytes % kBlockBytes == 0;
    return apart ? 1 : CeilDiv(rowBytes + kBlockBytes, pitchElems * problem.elemBytes);
}

bool ReadShape(gert::TilingContext* context, Problem* problem) {
    const gert::StorageShape* xShape = context->GetInputShape(op::kInputX);
    const gert::StorageShape* yGradShape = context->GetInputShape(op::kInputYGrad);
    const gert::CompileTimeTensorDesc* xDesc = context->GetInputDesc(op::kInputX);
    const gert::RuntimeAttrs* attrs = context->GetAttrs();
    if (xShape == nullptr || yGradShape == nullptr || xDesc == nullptr || attrs == nullptr ||
        attrs->GetInt(op::kAttrDim) == nullptr) {
        return false;
    }
    const gert::Shape& x = xShape->GetStorageShape();
    const gert::Shape& yGrad = yGradShape->GetStorageShape();
    const int64_t rank = static_cast<int64_t>(x.GetDimNum());
    int64_t dim = *attrs->GetInt(op::kAttrDim);
    if (rank < 1 || dim < -rank || dim >= rank || yGrad.GetDimNum() != x.GetDimNum()) {
        return false;
    }
    dim = dim < 0 ? dim + rank : dim;
    for (int64_t i = 0; i < rank; ++i) {
        const int64_t size = x.GetDim(i);
        // The length of `dim` itself must be even, not only its product with the inner dimensions.
        if (size <= 0 || (i == dim && size % 2 != 0) ||
            yGrad.GetDim(i) != (i == dim ? size / 2 : size)) {
            return false;
        }
        (i < dim ? problem->rows : problem->cols) *= i == dim ? size / 2 : size;
    }
    problem->elemBytes = FloatBytes(xDesc->GetDataType());
    return true;
}

bool ReadPlatform(gert::TilingContext* context, Problem* problem) {
    Chip chip;
    if (!ReadChip(context, &chip)) {
        return false;
    }
    problem->cores = chip.vectorCores;
    // The size is a multiple of kTileUnit, so that each operand of a tile starts in the bank that
    // its place needs, for both element sizes.
    const int64_t perElem = problem->elemBytes == 2 ? op::kUbBytesPerHalf : op::kUbBytesPerFloat;
    problem->tileElems =
        (chip.ubBytes - op::kUbShiftBytes) / perElem / op::kTileUnit * op::kTileUnit;
    const int64_t perNarrow =
        problem->elemBytes == 2 ? op::kUbBytesPerNarrowHalf : op::kUbBytesPerNarrowFloat;
    problem->narrowElems =
        (chip.ubBytes - 2 * op::kUbShiftBytes) / perNarrow / op::kTileUnit * op::kTileUnit;
    const int64_t operand = problem->Elems() * problem->elemBytes;
    problem->l2 = PlanL2(chip, {kLoads * operand, 0, kStores * operand});
    return problem->tileElems > 0;
}

}  // namespace

ge::graphStatus Tiling4SwiGluGrad(gert::TilingContext* context) {
    Problem problem;
    if (!ReadShape(context, &problem) || !ReadPlatform(context, &problem)) {
        return ge::GRAPH_FAILED;
    }
    Choice choice;
    TryRows(problem, &choice);
    TryCols(problem, &choice);
    TryNarrowRows(problem, &choice);

    SwiGluGradTilingData* tiling = context->GetTilingData<SwiGluGradTilingData>();
    size_t* workspaces = context->GetWorkspaceSizes(1);
    if (tiling == nullptr || workspaces == nullptr) {
        return ge::GRAPH_FAILED;
    }
    workspaces[0] = 0;
    tiling->rows = problem.rows;
    tiling->cols = problem.cols;
    tiling->rowsPerTile = static_cast<uint32_t>(choice.rowsPerTile);
    tiling->colsPerTile = static_cast<uint32_t>(choice.colsPerTile);
    tiling->colTiles = CeilDiv(problem.cols, choice.colsPerTile);
    tiling->tiles = CeilDiv(problem.rows, choice.rowsPerTile) * tiling->colTiles;
    const int64_t pitch = choice.narrow
                              ? choice.colsPerTile
                              : RoundUp(choice.colsPerTile, kBlockBytes / problem.elemBytes);
    tiling->tileElems =
        static_cast<uint32_t>(RoundUp(choice.rowsPerTile * pitch, int64_t{op::kTileUnit}));
    // With a skew, blocks that start late get fewer tiles, so all cores are of use.
    const int64_t skew = SkewOfBlocks(tiling->tiles, problem.cores, choice.tileCycles);
    const int64_t blocks = skew > 0 ? problem.cores : choice.blocks;
    const int64_t written = kStores * problem.Elems() * problem.elemBytes;
    tiling->tilesThroughL2 = TilesThroughL2(problem.l2, written, tiling->tiles, blocks);
    tiling->skew = static_cast<uint32_t>(skew);
    tiling->narrow = choice.narrow ? 1 : 0;
    tiling->halfCopies = static_cast<uint32_t>(CopiesOfRows(problem, choice, 2 * problem.cols));
    tiling->gradCopies = static_cast<uint32_t>(CopiesOfRows(problem, choice, problem.cols));
    tiling->readsPastL2 = problem.l2.readsPastL2 ? 1 : 0;
    context->SetTilingKey(0);
    context->SetBlockDim(static_cast<uint32_t>(blocks));
    return ge::GRAPH_SUCCESS;
}

}  // namespace optiling
