// SPDX-License-Identifier: Apache-2.0
#ifndef BASE_CONTEXT_BUILDER_OP_INFER_SHAPE_RANGE_CONTEXT_BUILDER_H
#define BASE_CONTEXT_BUILDER_OP_INFER_SHAPE_RANGE_CONTEXT_BUILDER_H

#include <vector>

#include "base/context_builder/op_context_builder_base.h"
#include "exe_graph/runtime/infer_shape_range_context.h"

namespace gert {

class OpInferShapeRangeContextBuilder
    : public OpContextBuilderBase<OpInferShapeRangeContextBuilder> {
public:
    OpInferShapeRangeContextBuilder& OutputTensorDesc(size_t index, ge::DataType dataType,
                                                      ge::Format origin, ge::Format storage,
                                                      const ExpandDimsType& = ExpandDimsType()) {
        DescribeOutput(index, dataType, origin, storage);
        return *this;
    }
    OpInferShapeRangeContextBuilder& InputTensorsRange(const std::vector<Range<Tensor>*>& ranges) {
        UseInputs(ranges);
        return *this;
    }
    /// The older form of the inputs, and pointers to the ranges of the outputs.
    OpInferShapeRangeContextBuilder& InputTensors(const std::vector<Range<Tensor>*>& ranges) {
        return InputTensorsRange(ranges);
    }
    OpInferShapeRangeContextBuilder& OutputShapes(const std::vector<Range<Shape>*>& ranges) {
        UseOutputs(ranges);
        return *this;
    }
    ContextHolder<InferShapeRangeContext> Build();
};

}  // namespace gert

#endif  // BASE_CONTEXT_BUILDER_OP_INFER_SHAPE_RANGE_CONTEXT_BUILDER_H
