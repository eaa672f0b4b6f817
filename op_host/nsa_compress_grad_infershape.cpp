// SPDX-License-Identifier: Apache-2.0
#include "nsa_compress_grad_interface.h"
#include "register/op_def_registry.h"

namespace ge {
namespace {

namespace op = ops::NsaCompressGradOp;

}  // namespace

/// Gives each gradient the shape of its tensor, also an unknown dimension (-1) or rank (-2).
graphStatus InferShape4NsaCompressGrad(gert::InferShapeContext* context) {
    if (context == nullptr) {
        return GRAPH_FAILED;
    }
    const gert::Shape* input = context->GetInputShape(op::kInputInput);
    const gert::Shape* weight = context->GetInputShape(op::kInputWeight);
    gert::Shape* inputGrad = context->GetOutputShape(op::kOutputInputGrad);
    gert::Shape* weightGrad = context->GetOutputShape(op::kOutputWeightGrad);
    if (input == nullptr || weight == nullptr || inputGrad == nullptr || weightGrad == nullptr) {
        return GRAPH_FAILED;
    }
    *inputGrad = *input;
    *weightGrad = *weight;
    return GRAPH_SUCCESS;
}

graphStatus InferDataType4NsaCompressGrad(gert::InferDataTypeContext* context) {
    if (context == nullptr) {
        return GRAPH_FAILED;
    }
    const graphStatus status = context->SetOutputDataType(
        op::kOutputInputGrad, context->GetInputDataType(op::kInputInput));
    return status != GRAPH_SUCCESS
               ? status
               : context->SetOutputDataType(op::kOutputWeightGrad,
                                            context->GetInputDataType(op::kInputWeight));
}

}  // namespace ge
