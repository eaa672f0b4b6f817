// SPDX-License-Identifier: Apache-2.0
#include "register/op_def_registry.h"
#include "swi_glu_grad_interface.h"

namespace ge {
namespace {

namespace op = ops::SwiGluGradOp;

}  // namespace

/// Gives the gradient the shape of x, also an unknown dimension (-1) or rank (-2).
graphStatus InferShape4SwiGluGrad(gert::InferShapeContext* context) {
    if (context == nullptr) {
        return GRAPH_FAILED;
    }
    const gert::Shape* x = context->GetInputShape(op::kInputX);
    gert::Shape* xGrad = context->GetOutputShape(op::kOutputXGrad);
    if (x == nullptr || xGrad == nullptr) {
        return GRAPH_FAILED;
    }
    *xGrad = *x;
    return GRAPH_SUCCESS;
}

graphStatus InferDataType4SwiGluGrad(gert::InferDataTypeContext* context) {
    if (context == nullptr) {
        return GRAPH_FAILED;
    }
    return context->SetOutputDataType(op::kOutputXGrad, context->GetInputDataType(op::kInputX));
}

}  // namespace ge
