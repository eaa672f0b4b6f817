// SPDX-License-Identifier: Apache-2.0
#include "moe_token_permute_with_routing_map_tiling.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/chip.h"
#include "common/output_strides.h"
#include "moe_token_permute_with_routing_map_interface.h"
#include "moe_token_permute_with_routing_map_plan.h"
#include "register/op_def_registry.h"

namespace optiling {
namespace {

using namespace moe_token_permute;

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
    PlanCaches(problem, tiling);
    const int64_t counters = tiling->parts * tiling->countPitch * 4 + blocks * kBlockBytes;
    const int64_t rest =
        problem.pad ? RoundUp(tiling->outRows * 4, kBlockBytes) : blocks * tiling->countPitch * 4;
    workspaces[0] = problem.chip.systemBytes + static_cast<size_t>(counters + rest);
    context->SetTilingKey(problem.pad ? MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_KEY_PAD
                                      : MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_KEY_COMPACT);
    context->SetBlockDim(static_cast<uint32_t>(blocks));
    // Blocks wait for each other, so they must all run at the same time.
    context->SetScheduleMode(1);
    return ge::GRAPH_SUCCESS;
}

}  // namespace optiling
