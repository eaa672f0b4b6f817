// SPDX-License-Identifier: Apache-2.0
#include "new_op_interface.h"
#include "register/op_def_registry.h"

namespace ge {
namespace {

namespace op = ops::NewOpOp;

}  // namespace

/// y has the shape of x, also where that still has unknown dimensions (-1, or -2 for all).
graphStatus InferShape4NewOp(gert::InferShapeContext* context) {
    if (context == nullptr) {
        return GRAPH_FAILED;
    }
    const gert::Shape* x = context->GetInputShape(op::kInputX);
    gert::Shape* y = context->GetOutputShape(op::kOutputY);
    if (x == nullptr || y == nullptr) {
        return GRAPH_FAILED;
    }
    *y = *x;
    return GRAPH_SUCCESS;
}

graphStatus InferDataType4NewOp(gert::InferDataTypeContext* context) {
    if (context == nullptr) {
        return GRAPH_FAILED;
    }
    return context->SetOutputDataType(op::kOutputY, context->GetInputDataType(op::kInputX));
}

}  // namespace ge
