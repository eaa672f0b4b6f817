// SPDX-License-Identifier: Apache-2.0
// The getters and setters of the gert contexts: thin views of an OpNode.

#include "host/op_node.h"

namespace gert {
namespace {

using twin::host::NodeTensor;

const NodeTensor* At(const std::deque<NodeTensor>& tensors, size_t index) {
    return index < tensors.size() ? &tensors[index] : nullptr;
}

/// By definition index, present parameters only; the twin has no dynamic inputs, so each has at
/// most one instance.
const NodeTensor* Present(const std::deque<NodeTensor>& tensors, size_t irIndex,
                          size_t relativeIndex) {
    const NodeTensor* const found = At(tensors, irIndex);
    return found != nullptr && found->present && relativeIndex == 0 ? found : nullptr;
}

const CompileTimeTensorDesc* DescOf(const NodeTensor* tensor) {
    return tensor == nullptr ? nullptr : &tensor->desc;
}
const StorageShape* ShapeOf(const Tensor* tensor) {
    return tensor == nullptr ? nullptr : &tensor->GetShape();
}
const Shape* OriginShapeOf(const Tensor* tensor) {
    return tensor == nullptr ? nullptr : &tensor->GetOriginShape();
}

}  // namespace

const CompileTimeTensorDesc* ExtendedKernelContext::GetInputDesc(size_t index) const {
    return DescOf(At(node_->inputs, index));
}

const CompileTimeTensorDesc* ExtendedKernelContext::GetOptionalInputDesc(size_t irIndex) const {
    return DescOf(Present(node_->inputs, irIndex, 0));
}

const CompileTimeTensorDesc* ExtendedKernelContext::GetRequiredInputDesc(size_t irIndex) const {
    return DescOf(Present(node_->inputs, irIndex, 0));
}

const CompileTimeTensorDesc* ExtendedKernelContext::GetDynamicInputDesc(
    size_t irIndex, size_t relativeIndex) const {
    return DescOf(Present(node_->inputs, irIndex, relativeIndex));
}

const CompileTimeTensorDesc* ExtendedKernelContext::GetOutputDesc(size_t index) const {
    return DescOf(At(node_->outputs, index));
}

const AnchorInstanceInfo* ExtendedKernelContext::GetIrInputInstanceInfo(size_t irIndex) const {
    const NodeTensor* const tensor = At(node_->inputs, irIndex);
    return tensor == nullptr ? nullptr : &tensor->instances;
}

const AnchorInstanceInfo* ExtendedKernelContext::GetIrOutputInstanceInfo(size_t irIndex) const {
    const NodeTensor* const tensor = At(node_->outputs, irIndex);
    return tensor == nullptr ? nullptr : &tensor->instances;
}

size_t ExtendedKernelContext::GetComputeNodeInputNum() const { return node_->inputs.size(); }

size_t ExtendedKernelContext::GetComputeNodeOutputNum() const { return node_->outputs.size(); }

const RuntimeAttrs* ExtendedKernelContext::GetAttrs() const { return node_->Attrs().Runtime(); }

const ge::char_t* ExtendedKernelContext::GetNodeType() const { return node_->type.c_str(); }

const ge::char_t* ExtendedKernelContext::GetNodeName() const { return node_->type.c_str(); }

const Tensor* ExtendedKernelContext::InputTensor(size_t index) const {
    const NodeTensor* const tensor = At(node_->inputs, index);
    return tensor == nullptr ? nullptr : &tensor->tensor;
}

const Tensor* ExtendedKernelContext::DynamicInputTensor(size_t irIndex,
                                                        size_t relativeIndex) const {
    const NodeTensor* const tensor = Present(node_->inputs, irIndex, relativeIndex);
    return tensor == nullptr ? nullptr : &tensor->tensor;
}

const void* TilingContext::CompileInfo() const { return node_->compileInfo; }

fe::PlatFormInfos* TilingContext::GetPlatformInfo() const { return &node_->platform; }

int32_t TilingContext::GetDeterministic() const { return node_->deterministic; }

const StorageShape* TilingContext::GetInputShape(size_t index) const {
    return ShapeOf(InputTensor(index));
}

const StorageShape* TilingContext::GetOptionalInputShape(size_t irIndex) const {
    return ShapeOf(DynamicInputTensor(irIndex, 0));
}

const StorageShape* TilingContext::GetRequiredInputShape(size_t irIndex) const {
    return ShapeOf(DynamicInputTensor(irIndex, 0));
}

const StorageShape* TilingContext::GetDynamicInputShape(size_t irIndex,
                                                        size_t relativeIndex) const {
    return ShapeOf(DynamicInputTensor(irIndex, relativeIndex));
}

const StorageShape* TilingContext::GetOutputShape(size_t index) const {
    const NodeTensor* const tensor = At(node_->outputs, index);
    return tensor == nullptr ? nullptr : &tensor->tensor.GetShape();
}

const Tensor* TilingContext::GetInputTensor(size_t index) const { return InputTensor(index); }

const Tensor* TilingContext::GetOptionalInputTensor(size_t irIndex) const {
    return DynamicInputTensor(irIndex, 0);
}

const Tensor* TilingContext::GetRequiredInputTensor(size_t irIndex) const {
    return DynamicInputTensor(irIndex, 0);
}

const Tensor* TilingContext::GetDynamicInputTensor(size_t irIndex, size_t relativeIndex) const {
    return DynamicInputTensor(irIndex, relativeIndex);
}

ge::graphStatus TilingContext::SetTilingKey(uint64_t tilingKey) {
    node_->result.tilingKey = tilingKey;
    return ge::GRAPH_SUCCESS;
}

uint64_t TilingContext::GetTilingKey() const { return node_->result.tilingKey; }

ge::graphStatus TilingContext::SetBlockDim(uint32_t blockDim) {
    node_->result.blockDim = blockDim;
    return ge::GRAPH_SUCCESS;
}

uint32_t TilingContext::GetBlockDim() const { return node_->result.blockDim; }

ge::graphStatus TilingContext::SetScheduleMode(uint32_t mode) {
    node_->result.scheduleMode = mode;
    return ge::GRAPH_SUCCESS;
}

uint32_t TilingContext::GetScheduleMode() const { return node_->result.scheduleMode; }

ge::graphStatus TilingContext::SetTilingCond(int32_t condition) {
    node_->result.tilingCond = condition;
    return ge::GRAPH_SUCCESS;
}

int32_t TilingContext::GetTilingCond() const { return node_->result.tilingCond; }

ge::graphStatus TilingContext::SetNeedAtomic(bool atomic) {
    node_->result.needAtomic = atomic;
    return ge::GRAPH_SUCCESS;
}

bool TilingContext::NeedAtomic() const { return node_->result.needAtomic; }

ge::graphStatus TilingContext::SetLocalMemorySize(uint32_t bytes) {
    node_->result.localMemoryBytes = bytes;
    return ge::GRAPH_SUCCESS;
}

uint32_t TilingContext::GetLocalMemorySize() const { return node_->result.localMemoryBytes; }

size_t* TilingContext::GetWorkspaceSizes(size_t count) {
    if (count > twin::host::TilingResult::kMaxWorkspaces) {
        return nullptr;
    }
    node_->result.workspaceCount = count;
    return node_->result.workspaces;
}

size_t TilingContext::GetWorkspaceNum() const { return node_->result.workspaceCount; }

TilingData* TilingContext::GetRawTilingData() { return &node_->tilingData; }

fe::PlatFormInfos* TilingParseContext::GetPlatformInfo() const { return &node_->platform; }

void* TilingParseContext::CompiledInfo() const { return node_->compileInfo; }

const Shape* InferShapeContext::GetInputShape(size_t index) const {
    return OriginShapeOf(InputTensor(index));
}

const Shape* InferShapeContext::GetOptionalInputShape(size_t irIndex) const {
    return OriginShapeOf(DynamicInputTensor(irIndex, 0));
}

const Shape* InferShapeContext::GetRequiredInputShape(size_t irIndex) const {
    return OriginShapeOf(DynamicInputTensor(irIndex, 0));
}

const Shape* InferShapeContext::GetDynamicInputShape(size_t irIndex, size_t relativeIndex) const {
    return OriginShapeOf(DynamicInputTensor(irIndex, relativeIndex));
}

const Tensor* InferShapeContext::GetInputTensor(size_t index) const { return InputTensor(index); }

const Tensor* InferShapeContext::GetOptionalInputTensor(size_t irIndex) const {
    return DynamicInputTensor(irIndex, 0);
}

const Tensor* InferShapeContext::GetRequiredInputTensor(size_t irIndex) const {
    return DynamicInputTensor(irIndex, 0);
}

const Tensor* InferShapeContext::GetDynamicInputTensor(size_t irIndex, size_t relativeIndex) const {
    return DynamicInputTensor(irIndex, relativeIndex);
}

Shape* InferShapeContext::GetOutputShape(size_t index) {
    if (index >= node_->outputs.size()) {
        return nullptr;
    }
    return &node_->outputs[index].tensor.MutableOriginShape();
}

namespace {

ge::DataType DataTypeOf(const CompileTimeTensorDesc* desc) {
    return desc == nullptr ? ge::DT_UNDEFINED : desc->GetDataType();
}

}  // namespace

ge::DataType InferDataTypeContext::GetInputDataType(size_t index) const {
    return DataTypeOf(GetInputDesc(index));
}

ge::DataType InferDataTypeContext::GetOptionalInputDataType(size_t irIndex) const {
    return DataTypeOf(GetOptionalInputDesc(irIndex));
}

ge::DataType InferDataTypeContext::GetRequiredInputDataType(size_t irIndex) const {
    return DataTypeOf(GetRequiredInputDesc(irIndex));
}

ge::DataType InferDataTypeContext::GetDynamicInputDataType(size_t irIndex,
                                                           size_t relativeIndex) const {
    return DataTypeOf(GetDynamicInputDesc(irIndex, relativeIndex));
}

ge::DataType InferDataTypeContext::GetOutputDataType(size_t index) const {
    return DataTypeOf(GetOutputDesc(index));
}

ge::graphStatus InferDataTypeContext::SetOutputDataType(size_t index, ge::DataType dataType) {
    if (index >= node_->outputs.size()) {
        return ge::GRAPH_FAILED;
    }
    CompileTimeTensorDesc& desc = node_->outputs[index].desc;
    desc = CompileTimeTensorDesc(dataType, desc.GetFormat());
    return ge::GRAPH_SUCCESS;
}

}  // namespace gert
