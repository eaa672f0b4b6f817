// SPDX-License-Identifier: Apache-2.0
#ifndef BASE_CONTEXT_BUILDER_OP_INFER_SHAPE_CONTEXT_BUILDER_H
#define BASE_CONTEXT_BUILDER_OP_INFER_SHAPE_CONTEXT_BUILDER_H

#include <vector>

#include "base/context_builder/op_context_builder_base.h"
#include "exe_graph/runtime/infer_shape_context.h"

namespace gert {

class OpInferShapeContextBuilder : public OpContextBuilderBase<OpInferShapeContextBuilder> {
public:
    OpInferShapeContextBuilder& OutputTensorDesc(size_t index, ge::DataType dataType,
                                                 ge::Format origin, ge::Format storage,
                                                 const ExpandDimsType& = ExpandDimsType()) {
        DescribeOutput(index, dataType, origin, storage);
        return *this;
    }
    OpInferShapeContextBuilder& InputTensors(const std::vector<Tensor*>& tensors) {
        UseInputs(tensors);
        return *this;
    }
    /// The older form: pointers to the shapes of the outputs.
    OpInferShapeContextBuilder& OutputShapes(const std::vector<StorageShape*>& shapes) {
        UseOutputs(shapes);
        return *this;
    }
    ContextHolder<InferShapeContext> Build();
};

}  // namespace gert

#endif  // BASE_CONTEXT_BUILDER_OP_INFER_SHAPE_CONTEXT_BUILDER_H
