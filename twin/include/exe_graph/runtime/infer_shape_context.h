// SPDX-License-Identifier: Apache-2.0
#ifndef EXE_GRAPH_RUNTIME_INFER_SHAPE_CONTEXT_H
#define EXE_GRAPH_RUNTIME_INFER_SHAPE_CONTEXT_H

#include <type_traits>

#include "exe_graph/runtime/extended_kernel_context.h"
#include "exe_graph/runtime/shape.h"
#include "exe_graph/runtime/tensor.h"

namespace gert {

class InferShapeContext : public ExtendedKernelContext {
public:
    const Shape* GetInputShape(size_t index) const;
    const Shape* GetOptionalInputShape(size_t irIndex) const;
    const Shape* GetRequiredInputShape(size_t irIndex) const;
    const Shape* GetDynamicInputShape(size_t irIndex, size_t relativeIndex) const;
    const Tensor* GetInputTensor(size_t index) const;
    const Tensor* GetOptionalInputTensor(size_t irIndex) const;
    const Tensor* GetRequiredInputTensor(size_t irIndex) const;
    const Tensor* GetDynamicInputTensor(size_t irIndex, size_t relativeIndex) const;
    /// The shape that the function writes.
    Shape* GetOutputShape(size_t index);
};
static_assert(std::is_standard_layout<InferShapeContext>::value,
              "InferShapeContext must stay standard layout");

}  // namespace gert

#endif  // EXE_GRAPH_RUNTIME_INFER_SHAPE_CONTEXT_H
