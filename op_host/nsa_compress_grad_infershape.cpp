// SPDX-License-Identifier: Apache-2.0
#include "register/op_def_registry.h"

namespace ge {
namespace {

constexpr size_t kInputInput = 1;
constexpr size_t kInputWeight = 2;
constexpr size_t kOutputInputGrad = 0;
constexpr size_t kOutputWeightGrad = 1;

}  // namespace

/// Each gradient has the shape of its tensor, also where that has unknown dimensions (-1, or -2 for
/// all).
graphStatus InferShape4NsaCompressGrad(gert::InferShapeContext* context) {
    if (context == nullptr) {
        return GRAPH_FAILED;
    }
    const gert::Shape* input = context->GetInputShape(kInputInput);
    const gert::Shape* weight = context->GetInputShape(kInputWeight);
    gert::Shape* inputGrad = context->GetOutputShape(kOutputInputGrad);
    gert::Shape* weightGrad = context->GetOutputShape(kOutputWeightGrad);
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
    const graphStatus status =
        context->SetOutputDataType(kOutputInputGrad, context->GetInputDataType(kInputInput));
    return status != GRAPH_SUCCESS
               ? status
               : context->SetOutputDataType(kOutputWeightGrad,
                                            context->GetInputDataType(kInputWeight));
}

}  // namespace ge
