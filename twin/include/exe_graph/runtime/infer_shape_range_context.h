// SPDX-License-Identifier: Apache-2.0
#ifndef EXE_GRAPH_RUNTIME_INFER_SHAPE_RANGE_CONTEXT_H
#define EXE_GRAPH_RUNTIME_INFER_SHAPE_RANGE_CONTEXT_H

#include "exe_graph/runtime/extended_kernel_context.h"
#include "exe_graph/runtime/range.h"
#include "exe_graph/runtime/shape.h"
#include "exe_graph/runtime/tensor.h"

namespace gert {

/// Shape inference for tensors of which only the smallest and the largest shape are known.
class InferShapeRangeContext : public ExtendedKernelContext {
public:
    const Range<Shape>* GetInputShapeRange(size_t index) const;
    const Range<Shape>* GetOptionalInputShapeRange(size_t irIndex) const;
    const Range<Shape>* GetRequiredInputShapeRange(size_t irIndex) const;
    const Range<Shape>* GetDynamicInputShapeRange(size_t irIndex, size_t relativeIndex) const;
    const Range<Tensor>* GetInputTensorRange(size_t index) const;
    const Range<Tensor>* GetOptionalInputTensorRange(size_t irIndex) const;
    const Range<Tensor>* GetRequiredInputTensorRange(size_t irIndex) const;
    const Range<Tensor>* GetDynamicInputTensorRange(size_t irIndex, size_t relativeIndex) const;
    /// The range that the function writes.
    Range<Shape>* GetOutputShapeRange(size_t index);
};

}  // namespace gert

#endif  // EXE_GRAPH_RUNTIME_INFER_SHAPE_RANGE_CONTEXT_H
