// SPDX-License-Identifier: Apache-2.0
// The numbered values of contexts, their node, and the contexts of shape ranges.

#include "host/op_node.h"

namespace twin::host {
namespace {

/// The values that tiling writes, in the toolkit's numbering.
enum TilingOutput : size_t {
    kTilingKey,
    kBlockDim,
    kAtomicFlag,
    kTilingData,
    kWorkspaces,
    kTilingCond,
    kScheduleMode,
    kLocalMemory,
    kTilingOutputs
};

gert::Tensor* TensorAt(std::deque<NodeTensor>& tensors, size_t index) {
    return index < tensors.size() ? tensors[index].tensor : nullptr;
}

}  // namespace

void* OpNode::ResultOf(NodeTensor* output, gert::KernelContext::Role role) {
    if (role == gert::KernelContext::kInferShapeRange) {
        return output->givenRange != nullptr ? output->givenRange : &output->shapeRange;
    }
    if (role == gert::KernelContext::kInferShape && output->givenShape != nullptr) {
        return output->givenShape;
    }
    return output->tensor;
}

size_t OpNode::InputValues(gert::KernelContext::Role role) const {
    if (role == gert::KernelContext::kTilingParse) {
        return 2;  // the kernel's json and the platform
    }
    return inputs.size() + (role == gert::KernelContext::kTiling ? outputs.size() : 0);
}

size_t OpNode::OutputValues(gert::KernelContext::Role role) const {
    switch (role) {
        case gert::KernelContext::kTiling:
            return kTilingOutputs;
        case gert::KernelContext::kTilingParse:
            return 1;
        default:
            return outputs.size();
    }
}

void* OpNode::InputValue(gert::KernelContext::Role role, size_t index) {
    if (index >= InputValues(role)) {
        return nullptr;
    }
    if (role == gert::KernelContext::kTilingParse) {
        fe::PlatFormInfos* const infos = givenPlatform != nullptr ? givenPlatform : &platform;
        return index == 0 ? const_cast<char*>(compiledJson) : static_cast<void*>(infos);
    }
    if (index >= inputs.size()) {
        return TensorAt(outputs, index - inputs.size());
    }
    if (role == gert::KernelContext::kInferShapeRange) {
        return inputs[index].tensorRange;
    }
    return inputs[index].tensor;
}

void* OpNode::OutputValue(gert::KernelContext::Role role, size_t index) {
    if (role == gert::KernelContext::kTilingParse) {
        return index == 0 ? compileInfo : nullptr;
    }
    if (role != gert::KernelContext::kTiling) {
        return index < outputs.size() ? ResultOf(&outputs[index], role) : nullptr;
    }
    switch (index) {
        case kTilingKey:
            return &result.tilingKey;
        case kBlockDim:
            return &result.blockDim;
        case kAtomicFlag:
            return &result.needAtomic;
        case kTilingData:
            return Tiling()->GetRawTilingData();
        case kWorkspaces:
            return givenWorkspaces;
        case kTilingCond:
            return &result.tilingCond;
        case kScheduleMode:
            return &result.scheduleMode;
        case kLocalMemory:
            return &result.localMemoryBytes;
        default:
            return nullptr;
    }
}

}  // namespace twin::host

namespace gert {
namespace {

using twin::host::NodeTensor;

const NodeTensor* InputAt(const twin::host::OpNode* node, size_t irIndex, size_t relativeIndex) {
    if (irIndex >= node->inputParams.size() ||
        relativeIndex >= node->inputParams[irIndex].GetInstanceNum()) {
        return nullptr;
    }
    return &node->inputs[node->inputParams[irIndex].GetInstanceStart() + relativeIndex];
}

const Range<Shape>* ShapeRangeOf(const NodeTensor* tensor) {
    return tensor == nullptr || tensor->tensorRange == nullptr ? nullptr : &tensor->shapeRange;
}

const Range<Tensor>* TensorRangeOf(const NodeTensor* tensor) {
    return tensor == nullptr ? nullptr : tensor->tensorRange;
}

}  // namespace

size_t KernelContext::GetInputNum() const { return Node()->InputValues(GetRole()); }

size_t KernelContext::GetOutputNum() const { return Node()->OutputValues(GetRole()); }

void* KernelContext::InputValue(size_t index) const { return Node()->InputValue(GetRole(), index); }

void* KernelContext::OutputValue(size_t index) const {
    return Node()->OutputValue(GetRole(), index);
}

const ge::char_t* ComputeNodeInfo::GetNodeType() const { return node_->type.c_str(); }

const ge::char_t* ComputeNodeInfo::GetNodeName() const { return node_->name.c_str(); }

size_t ComputeNodeInfo::GetIrInputsNum() const { return node_->inputParams.size(); }

size_t ComputeNodeInfo::GetIrOutputsNum() const { return node_->outputParams.size(); }

size_t ComputeNodeInfo::GetInputsNum() const { return node_->inputs.size(); }

size_t ComputeNodeInfo::GetOutputsNum() const { return node_->outputs.size(); }

const AnchorInstanceInfo* ComputeNodeInfo::GetInputInstanceInfo(size_t irIndex) const {
    return irIndex < node_->inputParams.size() ? &node_->inputParams[irIndex] : nullptr;
}

const AnchorInstanceInfo* ComputeNodeInfo::GetOutputInstanceInfo(size_t irIndex) const {
    return irIndex < node_->outputParams.size() ? &node_->outputParams[irIndex] : nullptr;
}

const CompileTimeTensorDesc* ComputeNodeInfo::GetInputTdInfo(size_t index) const {
    return index < node_->inputs.size() ? &node_->inputs[index].desc : nullptr;
}

const CompileTimeTensorDesc* ComputeNodeInfo::GetOutputTdInfo(size_t index) const {
    return index < node_->outputs.size() ? &node_->outputs[index].desc : nullptr;
}

const RuntimeAttrs* ComputeNodeInfo::GetAttrs() const { return node_->Attrs().Runtime(); }

const Range<Shape>* InferShapeRangeContext::GetInputShapeRange(size_t index) const {
    return index < Node()->inputs.size() ? ShapeRangeOf(&Node()->inputs[index]) : nullptr;
}

const Range<Shape>* InferShapeRangeContext::GetOptionalInputShapeRange(size_t irIndex) const {
    return ShapeRangeOf(InputAt(Node(), irIndex, 0));
}

const Range<Shape>* InferShapeRangeContext::GetRequiredInputShapeRange(size_t irIndex) const {
    return ShapeRangeOf(InputAt(Node(), irIndex, 0));
}

const Range<Shape>* InferShapeRangeContext::GetDynamicInputShapeRange(size_t irIndex,
                                                                      size_t relativeIndex) const {
    return ShapeRangeOf(InputAt(Node(), irIndex, relativeIndex));
}

const Range<Tensor>* InferShapeRangeContext::GetInputTensorRange(size_t index) const {
    return index < Node()->inputs.size() ? TensorRangeOf(&Node()->inputs[index]) : nullptr;
}

const Range<Tensor>* InferShapeRangeContext::GetOptionalInputTensorRange(size_t irIndex) const {
    return TensorRangeOf(InputAt(Node(), irIndex, 0));
}

const Range<Tensor>* InferShapeRangeContext::GetRequiredInputTensorRange(size_t irIndex) const {
    return TensorRangeOf(InputAt(Node(), irIndex, 0));
}

const Range<Tensor>* InferShapeRangeContext::GetDynamicInputTensorRange(
    size_t irIndex, size_t relativeIndex) const {
    return TensorRangeOf(InputAt(Node(), irIndex, relativeIndex));
}

Range<Shape>* InferShapeRangeContext::GetOutputShapeRange(size_t index) {
    if (index >= Node()->outputs.size()) {
        return nullptr;
    }
    NodeTensor& output = Node()->outputs[index];
    return output.givenRange != nullptr ? output.givenRange : &output.shapeRange;
}

}  // namespace gert
