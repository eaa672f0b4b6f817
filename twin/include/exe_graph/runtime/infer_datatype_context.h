// SPDX-License-Identifier: Apache-2.0
#ifndef EXE_GRAPH_RUNTIME_INFER_DATATYPE_CONTEXT_H
#define EXE_GRAPH_RUNTIME_INFER_DATATYPE_CONTEXT_H

#include <type_traits>

#include "exe_graph/runtime/extended_kernel_context.h"
#include "graph/ge_error_codes.h"
#include "graph/types.h"

namespace gert {

/// Getters return DT_UNDEFINED for absent tensors.
class InferDataTypeContext : public ExtendedKernelContext {
public:
    ge::DataType GetInputDataType(size_t index) const;
    ge::DataType GetOptionalInputDataType(size_t irIndex) const;
    ge::DataType GetRequiredInputDataType(size_t irIndex) const;
    ge::DataType GetDynamicInputDataType(size_t irIndex, size_t relativeIndex) const;
    ge::DataType GetOutputDataType(size_t index) const;
    ge::graphStatus SetOutputDataType(size_t index, ge::DataType dataType);
};
static_assert(std::is_standard_layout<InferDataTypeContext>::value,
              "InferDataTypeContext must stay standard layout");

}  // namespace gert

#endif  // EXE_GRAPH_RUNTIME_INFER_DATATYPE_CONTEXT_H
