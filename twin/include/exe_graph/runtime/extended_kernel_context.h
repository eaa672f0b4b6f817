// SPDX-License-Identifier: Apache-2.0
#ifndef EXE_GRAPH_RUNTIME_EXTENDED_KERNEL_CONTEXT_H
#define EXE_GRAPH_RUNTIME_EXTENDED_KERNEL_CONTEXT_H

#include <cstddef>

#include "exe_graph/runtime/compute_node_info.h"
#include "exe_graph/runtime/kernel_context.h"
#include "exe_graph/runtime/runtime_attrs.h"
#include "exe_graph/runtime/tensor.h"
#include "graph/types.h"

namespace gert {

/// The data about its node that every context has. `index` counts instances, `irIndex` counts
/// parameters of the definition; a getter returns nullptr for an absent optional input and beyond
/// the last parameter.
class ExtendedKernelContext : protected KernelContext {
public:
    const CompileTimeTensorDesc* GetInputDesc(size_t index) const;
    const CompileTimeTensorDesc* GetOptionalInputDesc(size_t irIndex) const;
    const CompileTimeTensorDesc* GetRequiredInputDesc(size_t irIndex) const;
    const CompileTimeTensorDesc* GetDynamicInputDesc(size_t irIndex, size_t relativeIndex) const;
    const CompileTimeTensorDesc* GetOutputDesc(size_t index) const;
    const CompileTimeTensorDesc* GetRequiredOutputDesc(size_t irIndex) const;
    const CompileTimeTensorDesc* GetDynamicOutputDesc(size_t irIndex, size_t relativeIndex) const;
    const AnchorInstanceInfo* GetIrInputInstanceInfo(size_t irIndex) const;
    const AnchorInstanceInfo* GetIrOutputInstanceInfo(size_t irIndex) const;
    const ComputeNodeInfo* GetComputeNodeInfo() const;
    size_t GetIrInputsNum() const;
    size_t GetIrOutputsNum() const;
    size_t GetComputeNodeInputNum() const;
    size_t GetComputeNodeOutputNum() const;
    const RuntimeAttrs* GetAttrs() const;
    const ge::char_t* GetNodeType() const;
    const ge::char_t* GetNodeName() const;

protected:
    friend class twin::host::OpNode;
    const Tensor* InputTensor(size_t index) const;
    const Tensor* DynamicInputTensor(size_t irIndex, size_t relativeIndex) const;
};

}  // namespace gert

#endif  // EXE_GRAPH_RUNTIME_EXTENDED_KERNEL_CONTEXT_H
