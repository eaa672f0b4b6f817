// SPDX-License-Identifier: Apache-2.0
// Implements the getters and setters of the gert contexts, which read and write an OpNode.

#include "host/op_node.h"

namespace gert {
namespace {

using twin::host::NodeTensor;

const NodeTensor* NodeTensorAt(const std::deque<NodeTensor>& tensors, size_t index) {
    return index < tensors.size() ? &tensors[index] : nullptr;
}

const NodeTensor* InstanceAt(const std::deque<NodeTensor>& tensors,
                             const std::vector<AnchorInstanceInfo>& params, size_t irIndex,
                             size_t relativeIndex) {
    return irIndex < params.size() && relativeIndex < params[irIndex].GetInstanceNum()
               ? NodeTensorAt(tensors, params[irIndex].GetInstanceStart() + relativeIndex)
               : nullptr;
}

/// Returns `found`, or nullptr if the call does not have this parameter.
const NodeTensor* Present(const NodeTensor* found) {
    return found != nullptr && found->present ? found : nullptr;
}

const NodeTensor* InputAt(const twin::host::OpNode* node, size_t irIndex, size_t relativeIndex) {
    return InstanceAt(node->inputs, node->inputParams, irIndex, relativeIndex);
}

const NodeTensor* Input(const twin::host::OpNode* node, size_t irIndex, size_t relativeIndex) {
    return Present(InputAt(node, irIndex, relativeIndex));
}

const NodeTensor* Output(const twin::host::OpNode* node, size_t irIndex, size_t relativeIndex) {
    return Present(InstanceAt(node->outputs, node->outputParams, irIndex, relativeIndex));
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

const Range<Shape>* ShapeRangeOf(const NodeTensor* tensor) {
    return tensor == nullptr || tensor->tensorRange == nullptr ? nullptr : &tensor->shapeRange;
}

const Range<Tensor>* TensorRangeOf(const NodeTensor* tensor) {
    return tensor == nullptr ? nullptr : tensor->tensorRange;
}

ge::DataType DataTypeOf(const CompileTimeTensorDesc* desc) {
    return desc == nullptr ? ge::DT_UNDEFINED : desc->GetDataType();
}

}  // namespace

// Defines four getters of an input. `AT` finds the input by its index among all instances, and
// `PARAMETER` finds it by the parameter and the instance of this parameter.
#define TWIN_INPUT_GETTERS_OF(CLASS, TYPE, NAME, OF, AT, PARAMETER)                 \
    TYPE CLASS::GetInput##NAME(size_t index) const { return OF(AT); }               \
    TYPE CLASS::GetOptionalInput##NAME(size_t irIndex) const {                      \
        constexpr size_t relativeIndex = 0;                                         \
        return OF(PARAMETER);                                                       \
    }                                                                               \
    TYPE CLASS::GetRequiredInput##NAME(size_t irIndex) const {                      \
        constexpr size_t relativeIndex = 0;                                         \
        return OF(PARAMETER);                                                       \
    }                                                                               \
    TYPE CLASS::GetDynamicInput##NAME(size_t irIndex, size_t relativeIndex) const { \
        return OF(PARAMETER);                                                       \
    }
#define TWIN_INPUT_TENSOR_GETTERS(CLASS, TYPE, NAME, OF)             \
    TWIN_INPUT_GETTERS_OF(CLASS, TYPE, NAME, OF, InputTensor(index), \
                          DynamicInputTensor(irIndex, relativeIndex))

TWIN_INPUT_GETTERS_OF(ExtendedKernelContext, const CompileTimeTensorDesc*, Desc, DescOf,
                      NodeTensorAt(Node()->inputs, index), Input(Node(), irIndex, relativeIndex))

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

TWIN_INPUT_TENSOR_GETTERS(TilingContext, const StorageShape*, Shape, ShapeOf)
TWIN_INPUT_TENSOR_GETTERS(TilingContext, const Tensor*, Tensor, )

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

#define TWIN_TILING_RESULT(TYPE, SET, GET, FIELD)    \
    ge::graphStatus TilingContext::SET(TYPE value) { \
        Node()->result.FIELD = value;                \
        return ge::GRAPH_SUCCESS;                    \
    }                                                \
    TYPE TilingContext::GET() const { return Node()->result.FIELD; }
TWIN_TILING_RESULT(uint64_t, SetTilingKey, GetTilingKey, tilingKey)
TWIN_TILING_RESULT(uint32_t, SetBlockDim, GetBlockDim, blockDim)
TWIN_TILING_RESULT(uint32_t, SetScheduleMode, GetScheduleMode, scheduleMode)
TWIN_TILING_RESULT(int32_t, SetTilingCond, GetTilingCond, tilingCond)
TWIN_TILING_RESULT(bool, SetNeedAtomic, NeedAtomic, needAtomic)
TWIN_TILING_RESULT(uint32_t, SetLocalMemorySize, GetLocalMemorySize, localMemoryBytes)

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

TWIN_INPUT_TENSOR_GETTERS(InferShapeContext, const Shape*, Shape, OriginShapeOf)
TWIN_INPUT_TENSOR_GETTERS(InferShapeContext, const Tensor*, Tensor, )

Shape* InferShapeContext::GetOutputShape(size_t index) {
    if (index >= Node()->outputs.size()) {
        return nullptr;
    }
    NodeTensor& output = Node()->outputs[index];
    return output.givenShape != nullptr ? &output.givenShape->MutableOriginShape()
                                        : &output.tensor->MutableOriginShape();
}

TWIN_INPUT_GETTERS_OF(InferShapeRangeContext, const Range<Shape>*, ShapeRange, ShapeRangeOf,
                      NodeTensorAt(Node()->inputs, index), InputAt(Node(), irIndex, relativeIndex))
TWIN_INPUT_GETTERS_OF(InferShapeRangeContext, const Range<Tensor>*, TensorRange, TensorRangeOf,
                      NodeTensorAt(Node()->inputs, index), InputAt(Node(), irIndex, relativeIndex))

Range<Shape>* InferShapeRangeContext::GetOutputShapeRange(size_t index) {
    if (index >= Node()->outputs.size()) {
        return nullptr;
    }
    NodeTensor& output = Node()->outputs[index];
    return output.givenRange != nullptr ? output.givenRange : &output.shapeRange;
}

TWIN_INPUT_GETTERS_OF(InferDataTypeContext, ge::DataType, DataType, DataTypeOf, GetInputDesc(index),
                      GetDynamicInputDesc(irIndex, relativeIndex))

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
