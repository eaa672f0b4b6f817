// SPDX-License-Identifier: Apache-2.0
#include "register/op_def_registry.h"

namespace ge {
namespace {

constexpr size_t kInputX = 1;
constexpr size_t kOutputXGrad = 0;

}  // namespace

/// The gradient has the shape of x, also where x still has unknown dimensions (-1, or -2 for all).
graphStatus InferShape4SwiGluGrad(gert::InferShapeContext* context) {
    if (context == nullptr) {
        return GRAPH_FAILED;
    }
    const gert::Shape* x = context->GetInputShape(kInputX);
    gert::Shape* xGrad = context->GetOutputShape(kOutputXGrad);
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
    return context->SetOutputDataType(kOutputXGrad, context->GetInputDataType(kInputX));
}

}  // namespace ge
