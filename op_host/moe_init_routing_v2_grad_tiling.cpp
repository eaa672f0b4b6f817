// SPDX-License-Identifier: Apache-2.0
#include "moe_init_routing_v2_grad_tiling.h"

#include <algorithm>
#include <cstdint>

#include "common/chip.h"
#include "common/copy_costs.h"
#include "common/l2_plan.h"
#include "common/tiling_math.h"
#include "moe_init_routing_v2_grad_interface.h"
#include "register/op_def_registry.h"

namespace optiling {
namespace {

namespace op = ops::MoeInitRoutingV2GradOp;

// Number of indices in UB at a time, and so the largest number of slots (rows that a token sums) of
// a step.
constexpr int64_t kIndexElems = 2048;
// If the slots of a token do not fit into one step with whole rows, a step has a quarter of them,
// but at least kFewestSplitSlots and at most kMostSplitSlots. Fewer slots leave room in UB for
// longer pieces of the rows, and each piece costs HBM a fixed time. More slots need fewer steps.
constexpr int64_t kSplitSteps = 4;
constexpr int64_t kFewestSplitSlots = 2;
constexpr int64_t kMostSplitSlots = 8;
// Scalar work of a step, and for each row that it loads.
constexpr int64_t kStepCycles = 350;
constexpr int64_t kRowCycles = 20;
// Time, in 1 / 1024 cycles, that L2 needs to store a row of less than kNarrowBytes that is no
// multiple of 32 B. L2 serves all blocks in turn, so this is multiplied by the number of blocks. It
// matters only if rows are copied: blocks that sum rows load for a longer time than they store.
constexpr int64_t kNarrowStoreCycles = 500;
// Head of a vector instruction, and elements that it computes in a cycle.
constexpr int64_t kVectorHead = 25;
constexpr int64_t kVectorElems = 64;

/// Numbers from the shapes, the attributes and the hardware, with which a tile is chosen.
struct Problem {
    int64_t tokens = 0;
    int64_t slots = 0;
    int64_t rows = 1;
    int64_t cols = 0;
    int64_t elemBytes = 0;
    int64_t cores = 0;
    int64_t ubBytes = 0;  ///< bytes of UB without the indices
    L2Plan l2;
    int64_t slotsPerStep = 0;
    int64_t stepsPerTile = 0;
    int64_t rowUnit = 0;    ///< slots are a multiple of this number of elements apart
    int64_t gapElems = 0;   ///< total length, in elements, of the gaps between a step's slots
    int64_t tileElems = 0;  ///< largest number of elements that one slot of a tile may have

    int64_t Pitch(int64_t elems) const { return RoundUp(elems, kBlockBytes / elemBytes); }
    int64_t OutputBytes() const { return tokens * cols * elemBytes; }
};

/// A tile, the number of blocks that share the tiles, and the cost: the modelled time of a launch.
struct Choice {
    int64_t tokensPerTile = 0;
    int64_t colsPerTile = 0;
    int64_t blocks = 0;
    int64_t cost = INT64_MAX;
};

/// Reads and checks the shapes. aclnn checks them earlier, but graphs have only this check.
bool ReadShapes(gert::TilingContext* context, Problem* problem) {
    const gert::StorageShape* gradShape = context->GetInputShape(op::kInputGradExpandedX);
    const gert::StorageShape* indexShape = context->GetInputShape(op::kInputExpandedRowIdx);
    const gert::StorageShape* outShape = context->GetOutputShape(op::kOutputGradX);
    if (gradShape == nullptr || indexShape == nullptr || outShape == nullptr) {
        return false;
    }
    const gert::Shape& grad = gradShape->GetStorageShape();
    const gert::Shape& index = indexShape->GetStorageShape();
    const gert::Shape& out = outShape->GetStorageShape();
    const size_t rank = grad.GetDimNum();
    if ((rank != 2 && rank != 3) || index.GetDimNum() != 1 || out.GetDimNum() != 2) {
        return false;
    }
    for (size_t i = 0; i + 1 < rank; ++i) {
        if (grad.GetDim(i) < 0) {
            return false;
        }
        problem->rows *= grad.GetDim(i);
    }
    problem->cols = grad.GetDim(rank - 1);
    const int64_t copies = index.GetDim(0);
    if (problem->cols <= 0 || copies <= 0 || copies % problem->slots != 0) {
        return false;
    }
    problem->tokens = copies / problem->slots;
    return out.GetDim(0) == problem->tokens && out.GetDim(1) == problem->cols;
}

bool ReadProblem(gert::TilingContext* context, Problem* problem) {
    const gert::RuntimeAttrs* attrs = context->GetAttrs();
    const gert::CompileTimeTensorDesc* gradDesc = context->GetInputDesc(op::kInputGradExpandedX);
    if (attrs == nullptr || gradDesc == nullptr) {
        return false;
    }
    const int64_t* topK = attrs->GetInt(op::kAttrTopK);
    const int64_t* mode = attrs->GetInt(op::kAttrDropPadMode);
    const int64_t* active = attrs->GetInt(op::kAttrActiveNum);
    if (topK == nullptr || mode == nullptr || active == nullptr || *topK <= 0 || *active < 0) {
        return false;
    }
    problem->slots = *topK;
    problem->elemBytes = FloatBytes(gradDesc->GetDataType());
    if (!ReadShapes(context, problem)) {
        return false;
    }
    const size_t rank =
        context->GetInputShape(op::kInputGradExpandedX)->GetStorageShape().GetDimNum();
    if (*mode == 1) {
        return rank == 3;
    }
    const int64_t expected = *active > 0 ? *active : problem->tokens * problem->slots;
    return *mode == 0 && rank == 2 && problem->rows == expected;
}

bool ReadPlatform(gert::TilingContext* context, Problem* problem) {
    Chip chip;
    if (!ReadChip(context, &chip)) {
        return false;
    }
    problem->cores = chip.vectorCores;
    problem->ubBytes = chip.ubBytes - kIndexElems * static_cast<int64_t>(sizeof(int32_t));
    const int64_t loaded = std::min(problem->rows, problem->tokens * problem->slots);
    problem->l2 =
        PlanL2(chip, {loaded * problem->cols * problem->elemBytes, 0, problem->OutputBytes()});
    return problem->ubBytes > 0;
}

/// Returns the UB bytes per element of an output tile. The rows of a step and the result have two
/// buffers each. 16-bit types also need all rows and the sum of earlier steps as float. A single
/// slot is copied: its rows are the result, and nothing converts them.
int64_t UbBytesPerElem(const Problem& problem, int64_t slotsPerStep, bool severalSteps) {
    if (problem.slots == 1) {
        return op::kCopyBuffers * problem.elemBytes;
    }
    const int64_t wideRows = problem.elemBytes == 2 ? slotsPerStep + (severalSteps ? 1 : 0) : 0;
    return op::kSumBuffers * (slotsPerStep + 1) * problem.elemBytes +
           wideRows * static_cast<int64_t>(sizeof(float));
}

/// Returns the total length of the gaps between the rows of a step (RowPlaces), in elements. It is
/// a multiple of kRowUnit: so the memory after the rows starts in the same group of banks as
/// without gaps.
int64_t GapElems(const Problem& problem) {
    int64_t shifts = 0;
    for (int64_t round = 2; round < 2 * problem.slotsPerStep; round *= 2) {
        shifts += (round + 1) / 3;
    }
    return RoundUp(shifts * op::kUbShiftFloats, op::kRowUnit);
}

/// Sets the largest number of elements of a slot. The two sources of an addition should be in
/// different groups of UB banks. Therefore slots are a multiple of kRowUnit apart, and some are
/// moved further, by multiples of kUbShiftFloats. If UB is too small, slots are only a multiple
/// of a block apart.
void FitTile(Problem* problem) {
    const int64_t perElem =
        UbBytesPerElem(*problem, problem->slotsPerStep, problem->stepsPerTile > 1);
    const int64_t least =
        std::min(problem->Pitch(problem->cols), kGmAlignBytes / problem->elemBytes);
    const int64_t gaps = GapElems(*problem);
    // Two buffers of rows have these gaps, and for 16-bit types one buffer of floats.
    const int64_t withGaps = (problem->ubBytes - gaps * (2 * problem->elemBytes + 4)) / perElem;
    const bool fits = withGaps / op::kRowUnit * op::kRowUnit >= least;
    problem->gapElems = fits ? gaps : 0;
    problem->rowUnit = fits ? op::kRowUnit : kBlockBytes / problem->elemBytes;
    problem->tileElems =
        (fits ? withGaps : problem->ubBytes / perElem) / problem->rowUnit * problem->rowUnit;
}

/// Puts all slots into one step if they fit, or else splits them into nearly equal steps. Ignores
/// the number of cores, because the order of additions must not depend on this number.
void SplitSlots(Problem* problem) {
    const int64_t pitch = problem->Pitch(problem->cols);
    const int64_t most = std::min(problem->slots, kIndexElems);
    const int64_t quarter = CeilDiv(problem->slots, kSplitSteps);
    int64_t fit =
        std::min(problem->slots, std::max(kFewestSplitSlots, std::min(kMostSplitSlots, quarter)));
    while (fit < most && UbBytesPerElem(*problem, fit + 1, fit + 1 < problem->slots) * pitch <=
                             problem->ubBytes) {
        ++fit;
    }
    problem->stepsPerTile = CeilDiv(problem->slots, fit);
    problem->slotsPerStep = CeilDiv(problem->slots, problem->stepsPerTile);
}

/// Returns the time of a launch in which `blocks` blocks compute `tilesOfBlock` tiles each. The
/// indices and the rows of the first step are loaded, and the last result is stored, while nothing
/// else happens.
int64_t CostOf(const Problem& problem, int64_t blocks, int64_t tilesOfBlock, int64_t tokens,
               int64_t cols) {
    const int64_t rows = tokens * problem.slotsPerStep;
    const int64_t tileBytes = tokens * cols * problem.elemBytes;
    const int64_t load =
        std::max(problem.slotsPerStep * tileBytes / LoadBytesPerCycle(blocks), rows * kRowCycles);
    int64_t vector = 0;
    if (problem.slots > 1) {
        const int64_t casts = problem.elemBytes == 2 ? problem.slotsPerStep + 1 : 0;
        const int64_t passes = problem.slotsPerStep + casts;
        // A step has about six vector instructions.
        vector = 6 * kVectorHead + tokens * problem.Pitch(cols) * passes / kVectorElems;
    }
    const int64_t rowBytes = cols * problem.elemBytes;
    const bool narrow =
        problem.slots == 1 && rowBytes < kNarrowBytes && rowBytes % kBlockBytes != 0;
    const int64_t narrowStore = narrow ? tokens * blocks * kNarrowStoreCycles / 1024 : 0;
    const int64_t store = kStoreLatency + std::max(tileBytes / kCoreBytesPerCycle, narrowStore);
    const int64_t slowest = std::max(std::max(load, vector), narrowStore) + kStepCycles;
    return blocks * kBlockCycles + 2 * kLoadLatency + load +
           (tilesOfBlock * problem.stepsPerTile - 1) * slowest + vector + store;
}

/// Tries a tile with each number of blocks that gives all blocks about the same number of tiles
/// (`count`).
/// The cost has one minimum, so the search ends when it rises.
void Try(const Problem& problem, int64_t tokens, int64_t colsPerTile, Choice* best) {
    const int64_t cols = std::min(colsPerTile, problem.cols);
    const int64_t tiles = CeilDiv(problem.tokens, tokens) * CeilDiv(problem.cols, cols);
    int64_t last = INT64_MAX;
    for (int64_t count = CeilDiv(tiles, problem.cores); count <= tiles; ++count) {
        const int64_t blocks = CeilDiv(tiles, count);
        const int64_t cost = CostOf(problem, blocks, count, tokens, cols);
        if (cost > last) {
            return;
        }
        last = cost;
        if (cost < best->cost) {
            best->tokensPerTile = tokens;
            best->colsPerTile = cols;
            best->blocks = blocks;
            best->cost = cost;
        }
    }
}

/// Chooses the cheapest tile: several tokens if rows are short, or a part of a row if rows are long
/// or if there are fewer tokens than cores.
Choice ChooseTile(const Problem& problem) {
    Choice best;
    const int64_t pitch = problem.Pitch(problem.cols);
    const int64_t most = std::min(std::min(problem.tileElems / pitch, problem.tokens),
                                  std::max(kIndexElems / problem.slots, int64_t{1}));
    for (int64_t tokens = most; tokens >= 1; --tokens) {
        // Indices of a single slot are read in pairs, so a tile begins at an even place.
        if (problem.slots > 1 || tokens % 2 == 0 || tokens == 1) {
            Try(problem, tokens, problem.cols, &best);
        }
    }
    const int64_t unit = kGmAlignBytes / problem.elemBytes;
    const int64_t units = std::min(CeilDiv(problem.cols, unit) - 1, problem.tileElems / unit);
    for (int64_t count = units; count >= 1; --count) {
        Try(problem, 1, count * unit, &best);
    }
    return best;
}

}  // namespace

ge::graphStatus Tiling4MoeInitRoutingV2Grad(gert::TilingContext* context) {
    Problem problem;
    if (!ReadProblem(context, &problem) || !ReadPlatform(context, &problem)) {
        return ge::GRAPH_FAILED;
    }
    SplitSlots(&problem);
    FitTile(&problem);
    const Choice choice = ChooseTile(problem);

    MoeInitRoutingV2GradTilingData* tiling =
        context->GetTilingData<MoeInitRoutingV2GradTilingData>();
    size_t* workspaces = context->GetWorkspaceSizes(1);
    if (tiling == nullptr || workspaces == nullptr || choice.tokensPerTile == 0) {
        return ge::GRAPH_FAILED;
    }
    workspaces[0] = 0;
    tiling->tokens = problem.tokens;
    tiling->slots = problem.slots;
    tiling->rows = problem.rows;
    tiling->cols = problem.cols;
    tiling->colTiles = CeilDiv(problem.cols, choice.colsPerTile);
    tiling->tiles = CeilDiv(problem.tokens, choice.tokensPerTile) * tiling->colTiles;
    tiling->stepsPerTile = problem.stepsPerTile;
    tiling->tilesThroughL2 =
        TilesThroughL2(problem.l2, problem.OutputBytes(), tiling->tiles, choice.blocks);
    tiling->readsPastL2 = problem.l2.readsPastL2 ? 1 : 0;
    tiling->tokensPerTile = static_cast<uint32_t>(choice.tokensPerTile);
    tiling->colsPerTile = static_cast<uint32_t>(choice.colsPerTile);
    tiling->slotsPerStep = static_cast<uint32_t>(problem.slotsPerStep);
    tiling->tileElems = static_cast<uint32_t>(
        RoundUp(choice.tokensPerTile * problem.Pitch(choice.colsPerTile), problem.rowUnit));
    tiling->indexElems = static_cast<uint32_t>(kIndexElems);
    tiling->rowUnit = static_cast<uint32_t>(problem.rowUnit);
    tiling->gapElems = static_cast<uint32_t>(problem.gapElems);
    context->SetTilingKey(0);
    context->SetBlockDim(static_cast<uint32_t>(choice.blocks));
    return ge::GRAPH_SUCCESS;
}

}  // namespace optiling
