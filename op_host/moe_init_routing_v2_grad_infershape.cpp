// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "common/dims.h"
#include "moe_init_routing_v2_grad_interface.h"
#include "register/op_def_registry.h"

namespace ge {
namespace {

namespace op = ops::MoeInitRoutingV2GradOp;

/// Finds the number of tokens; -1 if the number of indices is unknown. Returns false if top_k does
/// not divide the number of indices.
bool InferTokens(const gert::Shape& index, int64_t topK, int64_t* tokens) {
    *tokens = kUnknownDim;
    if (HasUnknownRank(index)) {
        return true;
    }
    if (index.GetDimNum() != 1) {
        return false;
    }
    const int64_t copies = index.GetDim(0);
    if (copies == kUnknownDim) {
        return true;
    }
    *tokens = copies / topK;
    return copies % topK == 0;
}

/// Returns true if drop_pad_mode is valid and the gradient's rank fits it or is unknown.
bool CheckMode(const gert::RuntimeAttrs* attrs, const gert::Shape& grad) {
    const int64_t* mode = attrs->GetInt(op::kAttrDropPadMode);
    const int64_t* active = attrs->GetInt(op::kAttrActiveNum);
    if (mode == nullptr || active == nullptr || *active < 0 || (*mode != 0 && *mode != 1)) {
        return false;
    }
    return HasUnknownRank(grad) || grad.GetDimNum() == (*mode == 1 ? 3U : 2U);
}

}  // namespace

/// Infers the shape (N, H): N from the number of indices and top_k, H from the last dimension of
/// the gradient.
graphStatus InferShape4MoeInitRoutingV2Grad(gert::InferShapeContext* context) {
    if (context == nullptr) {
        return GRAPH_FAILED;
    }
    const gert::Shape* grad = context->GetInputShape(op::kInputGradExpandedX);
    const gert::Shape* index = context->GetInputShape(op::kInputExpandedRowIdx);
    gert::Shape* gradX = context->GetOutputShape(op::kOutputGradX);
    const gert::RuntimeAttrs* attrs = context->GetAttrs();
    if (grad == nullptr || index == nullptr || gradX == nullptr || attrs == nullptr) {
        return GRAPH_FAILED;
    }
    const int64_t* topK = attrs->GetInt(op::kAttrTopK);
    const size_t rank = grad->GetDimNum();
    if (topK == nullptr || *topK <= 0 || !CheckMode(attrs, *grad)) {
        return GRAPH_FAILED;
    }
    int64_t tokens = kUnknownDim;
    if (!InferTokens(*index, *topK, &tokens)) {
        return GRAPH_FAILED;
    }
    const int64_t cols = HasUnknownRank(*grad) ? kUnknownDim : grad->GetDim(rank - 1);
    gradX->SetDimNum(2);
    gradX->SetDim(0, tokens);
    gradX->SetDim(1, cols);
    return GRAPH_SUCCESS;
}

graphStatus InferDataType4MoeInitRoutingV2Grad(gert::InferDataTypeContext* context) {
    if (context == nullptr) {
        return GRAPH_FAILED;
    }
    return context->SetOutputDataType(op::kOutputGradX,
                                      context->GetInputDataType(op::kInputGradExpandedX));
}

}  // namespace ge
