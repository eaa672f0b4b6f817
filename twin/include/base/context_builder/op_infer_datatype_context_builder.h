// SPDX-License-Identifier: Apache-2.0
#ifndef BASE_CONTEXT_BUILDER_OP_INFER_DATATYPE_CONTEXT_BUILDER_H
#define BASE_CONTEXT_BUILDER_OP_INFER_DATATYPE_CONTEXT_BUILDER_H

#include <vector>

#include "base/context_builder/op_context_builder_base.h"
#include "exe_graph/runtime/infer_datatype_context.h"

namespace gert {

class OpInferDataTypeContextBuilder : public OpContextBuilderBase<OpInferDataTypeContextBuilder> {
public:
    OpInferDataTypeContextBuilder& InputTensorDesc(size_t index, ge::DataType dataType,
                                                   ge::Format origin, ge::Format storage,
                                                   const ExpandDimsType& = ExpandDimsType()) {
        DescribeInput(index, dataType, origin, storage);
        return *this;
    }
    OpInferDataTypeContextBuilder& OutputTensorDesc(size_t index, ge::Format origin,
                                                    ge::Format storage,
                                                    const ExpandDimsType& = ExpandDimsType()) {
        DescribeOutput(index, ge::DT_UNDEFINED, origin, storage);
        return *this;
    }
    /// The older form: the types of the inputs, and pointers to the results for the outputs.
    /// nullptr stands for an absent tensor.
    OpInferDataTypeContextBuilder& Inputs(const std::vector<ge::DataType*>& types) {
        UseInputs(types);
        return *this;
    }
    OpInferDataTypeContextBuilder& Outputs(const std::vector<ge::DataType*>& types) {
        UseOutputs(types);
        return *this;
    }
    ContextHolder<InferDataTypeContext> Build();
};

}  // namespace gert

#endif  // BASE_CONTEXT_BUILDER_OP_INFER_DATATYPE_CONTEXT_BUILDER_H
