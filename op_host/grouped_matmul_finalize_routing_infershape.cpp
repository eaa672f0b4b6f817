// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "common/dims.h"
#include "grouped_matmul_finalize_routing_interface.h"
#include "register/op_def_registry.h"

namespace ge {
namespace {

namespace op = ops::GroupedMatmulFinalizeRoutingOp;

constexpr size_t kRankOfW = 3;

/// Finds the number of columns of y. Returns false if w has a wrong number of dimensions.
bool InferColumns(const gert::Shape& w, int64_t* columns) {
    *columns = kUnknownDim;
    if (HasUnknownRank(w)) {
        return true;
    }
    if (w.GetDimNum() != kRankOfW) {
        return false;
    }
    const int64_t words = w.GetDim(kRankOfW - 1);
    *columns = words == kUnknownDim ? kUnknownDim : words * op::kWeightsPerWord;
    return true;
}

}  // namespace

/// Infers y's shape (output_bs, n). Each int32 element of w has the weights of 8 columns.
graphStatus InferShape4GroupedMatmulFinalizeRouting(gert::InferShapeContext* context) {
    if (context == nullptr) {
        return GRAPH_FAILED;
    }
    const gert::Shape* w = context->GetInputShape(op::kInputW);
    gert::Shape* y = context->GetOutputShape(op::kOutputY);
    const gert::RuntimeAttrs* attrs = context->GetAttrs();
    if (w == nullptr || y == nullptr || attrs == nullptr) {
        return GRAPH_FAILED;
    }
    const int64_t* rows = attrs->GetInt(op::kAttrOutputBs);
    int64_t columns = kUnknownDim;
    if (rows == nullptr || *rows <= 0 || !InferColumns(*w, &columns)) {
        return GRAPH_FAILED;
    }
    y->SetDimNum(2);
    y->SetDim(0, *rows);
    y->SetDim(1, columns);
    return GRAPH_SUCCESS;
}

graphStatus InferDataType4GroupedMatmulFinalizeRouting(gert::InferDataTypeContext* context) {
    if (context == nullptr) {
        return GRAPH_FAILED;
    }
    return context->SetOutputDataType(op::kOutputY, DT_FLOAT);
}

}  // namespace ge
