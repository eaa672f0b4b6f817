// SPDX-License-Identifier: Apache-2.0
#include "common/dims.h"
#include "moe_token_permute_with_routing_map_interface.h"
#include "register/op_def_registry.h"

namespace ge {
namespace {

namespace op = ops::MoeTokenPermuteWithRoutingMapOp;

/// Returns dimension `index` of a 2-D shape, or -1 if its rank or this dimension is unknown.
int64_t DimOf(const gert::Shape* shape, size_t index) {
    return shape->GetDimNum() == 2 && shape->GetDim(index) >= 0 ? shape->GetDim(index)
                                                                : kUnknownDim;
}

void SetShape(gert::Shape* shape, const int64_t* dims, size_t rank) {
    shape->SetDimNum(rank);
    for (size_t i = 0; i < rank; ++i) {
        shape->SetDim(i, dims[i]);
    }
}

}  // namespace

/// Infers the shapes. The number of output rows is num_out_tokens, rounded down to a multiple of
/// the number of tokens. With drop_and_pad, it is a multiple of the number of experts.
graphStatus InferShape4MoeTokenPermuteWithRoutingMap(gert::InferShapeContext* context) {
    if (context == nullptr) {
        return GRAPH_FAILED;
    }
    const gert::Shape* tokens = context->GetInputShape(op::kInputTokens);
    const gert::Shape* map = context->GetInputShape(op::kInputRoutingMap);
    const gert::RuntimeAttrs* attrs = context->GetAttrs();
    gert::Shape* permuteTokens = context->GetOutputShape(op::kOutputPermuteTokens);
    gert::Shape* indices = context->GetOutputShape(op::kOutputSortedIndices);
    if (tokens == nullptr || map == nullptr || attrs == nullptr || permuteTokens == nullptr ||
        indices == nullptr || attrs->GetInt(op::kAttrNumOutTokens) == nullptr) {
        return GRAPH_FAILED;
    }
    const bool* pad = attrs->GetBool(op::kAttrDropAndPad);
    const int64_t unit = DimOf(map, pad != nullptr && *pad ? 1 : 0);
    const int64_t wanted = *attrs->GetInt(op::kAttrNumOutTokens);
    int64_t rows = kUnknownDim;
    if (unit >= 0) {
        rows = unit == 0 ? 0 : wanted / unit * unit;
    }
    const int64_t dims[] = {rows, DimOf(tokens, 1)};
    SetShape(permuteTokens, dims, 2);
    SetShape(indices, dims, 1);
    gert::Shape* permuteProbs = context->GetOutputShape(op::kOutputPermuteProbs);
    if (permuteProbs != nullptr) {
        SetShape(permuteProbs, dims, 1);
    }
    return GRAPH_SUCCESS;
}

graphStatus InferDataType4MoeTokenPermuteWithRoutingMap(gert::InferDataTypeContext* context) {
    if (context == nullptr) {
        return GRAPH_FAILED;
    }
    const DataType dtype = context->GetInputDataType(op::kInputTokens);
    context->SetOutputDataType(op::kOutputPermuteProbs, dtype);
    const graphStatus status = context->SetOutputDataType(op::kOutputPermuteTokens, dtype);
    return status != GRAPH_SUCCESS ? status
                                   : context->SetOutputDataType(op::kOutputSortedIndices, DT_INT32);
}

}  // namespace ge
