// SPDX-License-Identifier: Apache-2.0
// The getters and setters of the gert contexts, which read and write an OpNode.

#include "host/op_node.h"

namespace gert {
namespace {

using twin::host::NodeTensor;

const NodeTensor* NodeTensorAt(const std::deque<NodeTensor>& tensors, size_t index) {
    return index < tensors.size() ? &tensors[index] : nullptr;
}

/// The index is that of the definition, but only present parameters count.
const NodeTensor* Present(const std::deque<NodeTensor>& tensors,
                          const std::vector<AnchorInstanceInfo>& params, size_t irIndex,
                          size_t relativeIndex) {
    if (irIndex >= params.size() || relativeIndex >= params[irIndex].GetInstanceNum()) {
        return nullptr;
    }
    const NodeTensor* const found =
        NodeTensorAt(tensors, params[irIndex].GetInstanceStart() + relativeIndex);
    return found != nullptr && found->present ? found : nullptr;
}

const NodeTensor* Input(const twin::host::OpNode* node, size_t irIndex, size_t relativeIndex) {
    return Present(node->inputs, node->inputParams, irIndex, relativeIndex);
}

const NodeTensor* Output(const twin::host::OpNode* node, size_t irIndex, size_t relativeIndex) {
    return Present(node->outputs, node->outputParams, irIndex, relativeIndex);
}

const AnchorInstanceInfo* InfoAt(const std::vector<AnchorInstanceInfo>& params, size_t irIndex) {
    return irIndex < params.size() ? &params[irIndex] : nullptr;
}

const Tensor* TensorOf(const NodeTensor* tensor) {
    return tensor == nullptr ? nullptr : tensor->tensor;
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
    return DescOf(NodeTensorAt(Node()->inputs, index));
}

const CompileTimeTensorDesc* ExtendedKernelContext::GetOptionalInputDesc(size_t irIndex) const {
    return DescOf(Input(Node(), irIndex, 0));
}

const CompileTimeTensorDesc* ExtendedKernelContext::GetRequiredInputDesc(size_t irIndex) const {
    return DescOf(Input(Node(), irIndex, 0));
}

const CompileTimeTensorDesc* ExtendedKernelContext::GetDynamicInputDesc(
    size_t irIndex, size_t relativeIndex) const {
    return DescOf(Input(Node(), irIndex, relativeIndex));
}

const CompileTimeTensorDesc* ExtendedKernelContext::GetOutputDesc(size_t index) const {
    return DescOf(NodeTensorAt(Node()->outputs, index));
}

const CompileTimeTensorDesc* ExtendedKernelContext::GetRequiredOutputDesc(size_t irIndex) const {
    return DescOf(Output(Node(), irIndex, 0));
}

const CompileTimeTensorDesc* ExtendedKernelContext::GetDynamicOutputDesc(
    size_t irIndex, size_t relativeIndex) const {
    return DescOf(Output(Node(), irIndex, relativeIndex));
}

const ComputeNodeInfo* ExtendedKernelContext::GetComputeNodeInfo() const { return Node()->Info(); }

size_t ExtendedKernelContext::GetIrInputsNum() const { return Node()->inputParams.size(); }

size_t ExtendedKernelContext::GetIrOutputsNum() const { return Node()->outputParams.size(); }

const AnchorInstanceInfo* ExtendedKernelContext::GetIrInputInstanceInfo(size_t irIndex) const {
    return InfoAt(Node()->inputParams, irIndex);
}

const AnchorInstanceInfo* ExtendedKernelContext::GetIrOutputInstanceInfo(size_t irIndex) const {
    return InfoAt(Node()->outputParams, irIndex);
}

size_t ExtendedKernelContext::GetComputeNodeInputNum() const { return Node()->inputs.size(); }

size_t ExtendedKernelContext::GetComputeNodeOutputNum() const { return Node()->outputs.size(); }

const RuntimeAttrs* ExtendedKernelContext::GetAttrs() const { return Node()->Attrs().Runtime(); }

const ge::char_t* ExtendedKernelContext::GetNodeType() const { return Node()->type.c_str(); }

const ge::char_t* ExtendedKernelContext::GetNodeName() const { return Node()->name.c_str(); }

const Tensor* ExtendedKernelContext::InputTensor(size_t index) const {
    return IsTakenAway(index) ? nullptr : TensorOf(NodeTensorAt(Node()->inputs, index));
}

const Tensor* ExtendedKernelContext::DynamicInputTensor(size_t irIndex,
                                                        size_t relativeIndex) const {
    const AnchorInstanceInfo* const info = InfoAt(Node()->inputParams, irIndex);
    const bool hidden = info != nullptr && IsTakenAway(info->GetInstanceStart() + relativeIndex);
    return hidden ? nullptr : TensorOf(Input(Node(), irIndex, relativeIndex));
}

const void* TilingContext::CompileInfo() const { return Node()->compileInfo; }

fe::PlatFormInfos* TilingContext::GetPlatformInfo() const {
    return Node()->givenPlatform != nullptr ? Node()->givenPlatform : &Node()->platform;
}

int32_t TilingContext::GetDeterministic() const { return Node()->deterministic; }

int32_t TilingContext::GetDeterministicLevel() const { return Node()->deterministicLevel; }

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
    return ShapeOf(TensorOf(NodeTensorAt(Node()->outputs, index)));
}

const Tensor* TilingContext::GetOutputTensor(size_t index) const {
    return TensorOf(NodeTensorAt(Node()->outputs, index));
}

const StorageShape* TilingContext::GetRequiredOutputShape(size_t irIndex) const {
    return ShapeOf(TensorOf(Output(Node(), irIndex, 0)));
}

const StorageShape* TilingContext::GetDynamicOutputShape(size_t irIndex,
                                                         size_t relativeIndex) const {
    return ShapeOf(TensorOf(Output(Node(), irIndex, relativeIndex)));
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
    Node()->result.tilingKey = tilingKey;
    return ge::GRAPH_SUCCESS;
}

uint64_t TilingContext::GetTilingKey() const { return Node()->result.tilingKey; }

ge::graphStatus TilingContext::SetBlockDim(uint32_t blockDim) {
    Node()->result.blockDim = blockDim;
    return ge::GRAPH_SUCCESS;
}

uint32_t TilingContext::GetBlockDim() const { return Node()->result.blockDim; }

ge::graphStatus TilingContext::SetScheduleMode(uint32_t mode) {
    Node()->result.scheduleMode = mode;
    return ge::GRAPH_SUCCESS;
}

uint32_t TilingContext::GetScheduleMode() const { return Node()->result.scheduleMode; }

ge::graphStatus TilingContext::SetTilingCond(int32_t condition) {
    Node()->result.tilingCond = condition;
    return ge::GRAPH_SUCCESS;
}

int32_t TilingContext::GetTilingCond() const { return Node()->result.tilingCond; }

ge::graphStatus TilingContext::SetNeedAtomic(bool atomic) {
    Node()->result.needAtomic = atomic;
    return ge::GRAPH_SUCCESS;
}

bool TilingContext::NeedAtomic() const { return Node()->result.needAtomic; }

ge::graphStatus TilingContext::SetLocalMemorySize(uint32_t bytes) {
    Node()->result.localMemoryBytes = bytes;
    return ge::GRAPH_SUCCESS;
}

uint32_t TilingContext::GetLocalMemorySize() const { return Node()->result.localMemoryBytes; }

size_t* TilingContext::GetWorkspaceSizes(size_t count) {
    if (Node()->givenWorkspaces != nullptr) {
        return Node()->givenWorkspaces->SetSize(count) == ge::GRAPH_SUCCESS
                   ? static_cast<size_t*>(Node()->givenWorkspaces->MutableData())
                   : nullptr;
    }
    if (count > twin::host::TilingResult::kMaxWorkspaces) {
        return nullptr;
    }
    Node()->result.workspaceCount = count;
    return Node()->result.workspaces;
}

size_t TilingContext::GetWorkspaceNum() const {
    return Node()->givenWorkspaces != nullptr ? Node()->givenWorkspaces->GetSize()
                                              : Node()->result.workspaceCount;
}

TilingData* TilingContext::GetRawTilingData() {
    return Node()->givenTilingData != nullptr ? Node()->givenTilingData : &Node()->tilingData;
}

fe::PlatFormInfos* TilingParseContext::GetPlatformInfo() const {
    return Node()->givenPlatform != nullptr ? Node()->givenPlatform : &Node()->platform;
}

const ge::char_t* TilingParseContext::GetCompiledJson() const { return Node()->compiledJson; }

void* TilingParseContext::CompiledInfo() const { return Node()->compileInfo; }

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
    if (index >= Node()->outputs.size()) {
        return nullptr;
    }
    NodeTensor& output = Node()->outputs[index];
    return output.givenShape != nullptr ? &output.givenShape->MutableOriginShape()
                                        : &output.tensor->MutableOriginShape();
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
    if (index >= Node()->outputs.size()) {
        return ge::GRAPH_FAILED;
    }
    NodeTensor& output = Node()->outputs[index];
    output.desc = CompileTimeTensorDesc(dataType, output.desc.GetFormat());
    if (output.givenType != nullptr) {
        *output.givenType = dataType;
    }
    return ge::GRAPH_SUCCESS;
}

}  // namespace gert
