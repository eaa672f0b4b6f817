// SPDX-License-Identifier: Apache-2.0
#include "moe_token_permute_with_routing_map_tiling.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/chip.h"
#include "common/output_strides.h"
#include "common/tiling_math.h"
#include "moe_token_permute_with_routing_map_interface.h"
#include "register/op_def_registry.h"

namespace optiling {
namespace {

namespace op = ops::MoeTokenPermuteWithRoutingMapOp;
using op::TilingData;

constexpr int64_t kMapUnit = 32;  // int8 elements of the map in a block
constexpr int64_t kScanUnit = 8;  // float counters in a block
// Elements in a tile of the map in non-pad mode. With fewer elements, the fixed cost of a dozen
// instructions is too high. With more elements, UB has too little room for the rows of tokens.
constexpr int64_t kTileElems = 2048;
constexpr int64_t kLargeTileElems = 4096;
// Experts in a tile if a tile cannot hold all of them. The tile then has eight tokens. More experts
// are better, because a token's row is loaded once for each tile that routes the token.
constexpr int64_t kChunkCols = 512;
// Bytes of a transposed tile of probs: so many that the fixed cost of instructions is small.
constexpr int64_t kProbTileBytes = 16384;
constexpr int64_t kLargeProbTileBytes = 4096;  // if the tiles of the map are large
// A copy of 16 KiB reaches full bandwidth. With longer copies, the first copy to GM starts later.
constexpr int64_t kMaxRowBytes = 16384;
// Fixed cost of one unit of work in pad mode, expressed as a number of the map's rows.
constexpr int64_t kUnitOverheadRows = 64;
constexpr int64_t kMinUnitRows = 256;

/// Numbers from the attributes, the dtype and the hardware.
struct Problem {
    bool pad = false;
    int64_t elemBytes = 0;
    Chip chip;
};

bool ReadMatrix(const gert::StorageShape* shape, int64_t* rows, int64_t* cols) {
    if (shape == nullptr || shape->GetStorageShape().GetDimNum() != 2) {
        return false;
    }
    *rows = shape->GetStorageShape().GetDim(0);
    *cols = shape->GetStorageShape().GetDim(1);
    return *rows > 0 && *cols > 0;
}

bool ReadInputs(gert::TilingContext* context, Problem* problem, TilingData* tiling) {
    const gert::CompileTimeTensorDesc* desc = context->GetInputDesc(op::kInputTokens);
    int64_t tokenRows = 0;
    if (desc == nullptr ||
        !ReadMatrix(context->GetInputShape(op::kInputTokens), &tokenRows, &tiling->hidden) ||
        !ReadMatrix(context->GetInputShape(op::kInputRoutingMap), &tiling->tokens,
                    &tiling->experts) ||
        tokenRows != tiling->tokens || tiling->tokens >= op::kExtentBelow ||
        tiling->experts >= op::kExtentBelow) {
        return false;
    }
    problem->elemBytes = FloatBytes(desc->GetDataType());
    const gert::StorageShape* probs = context->GetOptionalInputShape(op::kInputProbs);
    tiling->hasProbs = probs != nullptr ? 1 : 0;
    int64_t rows = 0;
    int64_t cols = 0;
    return probs == nullptr ||
           (ReadMatrix(probs, &rows, &cols) && rows == tiling->tokens && cols == tiling->experts);
}

/// Reads the attributes and finds the number of output rows. Returns false for invalid values.
bool ReadAttrs(gert::TilingContext* context, Problem* problem, TilingData* tiling) {
    const gert::RuntimeAttrs* attrs = context->GetAttrs();
    if (attrs == nullptr || attrs->GetInt(op::kAttrNumOutTokens) == nullptr ||
        attrs->GetBool(op::kAttrDropAndPad) == nullptr) {
        return false;
    }
    const int64_t wanted = *attrs->GetInt(op::kAttrNumOutTokens);
    problem->pad = *attrs->GetBool(op::kAttrDropAndPad);
    const int64_t unit = problem->pad ? tiling->experts : tiling->tokens;
    tiling->slots = wanted / unit;
    tiling->outRows = tiling->slots * unit;
    return wanted <= tiling->tokens * tiling->experts && tiling->slots > 0 &&
           (problem->pad || (tiling->slots <= op::kMaxSlots && tiling->outRows < op::kExtentBelow));
}

/// Checks the shape of output `index` and reads its strides. A dimension of length 1 gets stride 1.
bool ReadOutput(gert::TilingContext* context, size_t index, const std::vector<int64_t>& expected,
                std::vector<int64_t>* strides) {
    const gert::StorageShape* shape = context->GetOutputShape(index);
    if (shape == nullptr || shape->GetStorageShape().GetDimNum() != expected.size() ||
        !ReadOutputStrides(context, op::kAttrPermuteTokensStrides + index, shape->GetStorageShape(),
                           strides)) {
        return false;
    }
    for (size_t i = 0; i < expected.size(); ++i) {
        if (shape->GetStorageShape().GetDim(i) != expected[i] || (*strides)[i] < 0) {
            return false;
        }
        (*strides)[i] = expected[i] == 1 ? 1 : (*strides)[i];
    }
    return true;
}

bool ReadOutputs(gert::TilingContext* context, TilingData* tiling) {
    std::vector<int64_t> strides;
    if (!ReadOutput(context, op::kOutputPermuteTokens, {tiling->outRows, tiling->hidden},
                    &strides)) {
        return false;
    }
    tiling->rowStride = strides[0];
    tiling->colStride = strides[1];
    if (!ReadOutput(context, op::kOutputSortedIndices, {tiling->outRows}, &strides)) {
        return false;
    }
    tiling->indexStride = strides[0];
    tiling->probStride = 1;
    if (tiling->hasProbs != 0) {
        if (!ReadOutput(context, op::kOutputPermuteProbs, {tiling->outRows}, &strides)) {
            return false;
        }
        tiling->probStride = strides[0];
    }
    return true;
}

/// Splits the rows among the cores. If there are fewer rows than cores and `mayShare` is set,
/// several cores share a row, in parts that are a multiple of 512 B.
void SplitRows(const Problem& problem, int64_t rows, bool mayShare, TilingData* tiling) {
    const int64_t unit = kGmAlignBytes / problem.elemBytes;
    const int64_t rowParts = std::min(rows, problem.chip.vectorCores);
    const int64_t wanted = mayShare ? std::max<int64_t>(problem.chip.vectorCores / rowParts, 1) : 1;
    tiling->colsPerPart = RoundUp(CeilDiv(tiling->hidden, wanted), unit);
    tiling->rowParts = static_cast<uint32_t>(rowParts);
    tiling->colParts = static_cast<uint32_t>(CeilDiv(tiling->hidden, tiling->colsPerPart));
}

/// Sets the size of a row buffer: half of the free UB, at most 16 KiB, and at most `rows` rows.
bool FitRowBuffers(const Problem& problem, int64_t usedBytes, int64_t rows, TilingData* tiling) {
    const int64_t left = (problem.chip.ubBytes - usedBytes) / 2 / kGmAlignBytes * kGmAlignBytes;
    const int64_t columns = std::min(tiling->colsPerPart, tiling->hidden);
    const int64_t row = RoundUp(columns * problem.elemBytes, kBlockBytes);
    const int64_t most = std::min(RoundUp(row, kGmAlignBytes), kMaxRowBytes) * rows;
    tiling->rowBytes =
        static_cast<uint32_t>(std::min(std::min(left, kMaxRowBytes), RoundUp(most, kGmAlignBytes)));
    return left > 0;
}

/// Chooses a tile of probs. It has as many tokens as possible, because then the contiguous probs of
/// an expert are long. With this number of tokens, it has as many experts as fit.
void PlanProbTile(const Problem& problem, int64_t tokens, TilingData* tiling) {
    const int64_t bytes = tiling->tileElems > kTileElems ? kLargeProbTileBytes : kProbTileBytes;
    const int64_t elems = bytes / problem.elemBytes;
    const int64_t most = std::min<int64_t>(op::kMaxProbRows, elems / kMapUnit - op::kFillRows);
    const int64_t rows = RoundUp(CeilDiv(tokens, CeilDiv(tokens, most)), op::kFillRows);
    const int64_t cols = elems / (rows + op::kFillRows) / kMapUnit * kMapUnit;
    tiling->probRows = static_cast<uint32_t>(rows);
    tiling->probCols = static_cast<uint32_t>(
        std::min(std::min<int64_t>(cols, op::kMaxProbCols), tiling->countPitch));
}

/// Plans the mode without padding: each block gets a range of tokens. Sets the number of blocks.
bool PlanCompact(const Problem& problem, TilingData* tiling, int64_t* blocks) {
    const bool resident = tiling->countPitch <= kLargeTileElems;
    const int64_t elems = tiling->countPitch <= kTileElems ? kTileElems : kLargeTileElems;
    SplitRows(problem, tiling->tokens, resident, tiling);
    *blocks = static_cast<int64_t>(tiling->rowParts) * tiling->colParts;
    tiling->parts = tiling->rowParts;
    tiling->scanCols = RoundUp(CeilDiv(tiling->countPitch, *blocks), kScanUnit);
    tiling->tileElems = static_cast<uint32_t>(elems);
    tiling->tileCols = static_cast<uint32_t>(resident ? tiling->countPitch : kChunkCols);
    const int64_t mostRows = CeilDiv(tiling->tokens, tiling->parts);
    tiling->tileRows = static_cast<uint32_t>(std::min(elems / tiling->tileCols, mostRows));
    int64_t used = op::PlacementBytes(tiling->tileElems, tiling->tileCols,
                                      tiling->tileRows * static_cast<uint32_t>(tiling->slots));
    if (tiling->hasProbs != 0) {
        PlanProbTile(problem, mostRows, tiling);
        used += op::ProbTileBytes(tiling->probRows, tiling->probCols, tiling->tileCols,
                                  static_cast<uint32_t>(problem.elemBytes));
    }
    return FitRowBuffers(problem, used, tiling->tileRows, tiling);
}

/// Plans the mode with padding. A unit of work is 32 experts times a range of tokens. Chooses the
/// number of ranges so that few cores are idle while the last units are processed.
bool PlanPad(const Problem& problem, TilingData* tiling, int64_t* blocks) {
    const int64_t groups = CeilDiv(tiling->experts, op::kGroup);
    const int64_t most = std::min(problem.chip.vectorCores, CeilDiv(tiling->tokens, kMinUnitRows));
    int64_t bestCost = INT64_MAX;
    for (int64_t parts = 1; parts <= most; ++parts) {
        const int64_t cost = CeilDiv(groups * parts, problem.chip.vectorCores) *
                             (CeilDiv(tiling->tokens, parts) + kUnitOverheadRows);
        if (cost < bestCost) {
            bestCost = cost;
            tiling->parts = static_cast<uint32_t>(parts);
        }
    }
    SplitRows(problem, tiling->outRows, true, tiling);
    *blocks = std::max(std::min(groups * tiling->parts, problem.chip.vectorCores),
                       static_cast<int64_t>(tiling->rowParts) * tiling->colParts);
    return FitRowBuffers(problem, op::GatherBytes(), CeilDiv(tiling->outRows, *blocks), tiling);
}

}  // namespace

ge::graphStatus Tiling4MoeTokenPermuteWithRoutingMap(gert::TilingContext* context) {
    TilingData* tiling = context->GetTilingData<TilingData>();
    size_t* workspaces = context->GetWorkspaceSizes(1);
    if (tiling == nullptr || workspaces == nullptr) {
        return ge::GRAPH_FAILED;
    }
    *tiling = TilingData();
    Problem problem;
    if (!ReadInputs(context, &problem, tiling) || !ReadAttrs(context, &problem, tiling) ||
        !ReadOutputs(context, tiling) || !ReadChip(context, &problem.chip)) {
        return ge::GRAPH_FAILED;
    }
    tiling->countPitch = RoundUp(tiling->experts, kMapUnit);
    int64_t blocks = 0;
    const bool planned =
        problem.pad ? PlanPad(problem, tiling, &blocks) : PlanCompact(problem, tiling, &blocks);
    if (!planned) {
        return ge::GRAPH_FAILED;
    }
    const int64_t counters = tiling->parts * tiling->countPitch * 4 + blocks * kBlockBytes;
    const int64_t order = problem.pad ? RoundUp(tiling->outRows * 4, kBlockBytes) : 0;
    workspaces[0] = problem.chip.systemBytes + static_cast<size_t>(counters + order);
    context->SetTilingKey(problem.pad ? MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_KEY_PAD
                                      : MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_KEY_COMPACT);
    context->SetBlockDim(static_cast<uint32_t>(blocks));
    // Blocks wait for each other, so they must all run at the same time.
    context->SetScheduleMode(1);
    return ge::GRAPH_SUCCESS;
}

}  // namespace optiling
