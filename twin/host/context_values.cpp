// SPDX-License-Identifier: Apache-2.0
// Implements access to the inputs and outputs of contexts by number, ComputeNodeInfo, and the
// contexts of the shape range inference.
#include <type_traits>
#include <utility>

#include "host/op_model.h"
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
        return 2;  // input 0 is the kernel's JSON text, input 1 the platform
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

namespace {

template <typename T>
constexpr bool kIsList =
    std::is_same_v<T, std::vector<uint8_t>> || std::is_same_v<T, std::vector<int64_t>> ||
    std::is_same_v<T, std::vector<float>>;

template <typename T>
gert::ContinuousVector ViewOf(std::vector<T>& values) {
    return gert::ContinuousVector(values.data(), values.size(), values.size());
}

}  // namespace

const char* AttrTypeName(const AttrValue& value) {
    static const char* const kNames[] = {"None",     "Bool",    "Int",       "Float",      "String",
                                         "ListBool", "ListInt", "ListFloat", "ListListInt"};
    return kNames[value.index()];
}

AttrValues::AttrValues() { runtime_.values_ = this; }

void AttrValues::Add(AttrValue value) {
    Slot& slot = slots_.emplace_back();
    slot.value = std::move(value);
    slot.pointer = Publish(&slot);
}

const void* AttrValues::Publish(Slot* slot) {
    return std::visit(
        [slot](auto& value) -> const void* {
            using T = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<T, std::monostate>) {
                return nullptr;
            } else if constexpr (std::is_same_v<T, std::string>) {
                return value.c_str();
            } else if constexpr (kIsList<T>) {
                slot->list = ViewOf(value);
                return &slot->list;
            } else if constexpr (std::is_same_v<T, ListListInt>) {
                for (auto& inner : value) {
                    slot->inner.push_back(ViewOf(inner));
                }
                slot->listOfLists =
                    gert::ContinuousVectorVector(slot->inner.data(), slot->inner.size());
                return &slot->listOfLists;
            } else {
                return &value;
            }
        },
        slot->value);
}

}  // namespace twin::host

namespace gert {

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

// TypedContinuousVector adds no members, so a ContinuousVector can be read as this type.
static_assert(sizeof(TypedContinuousVector<int64_t>) == sizeof(ContinuousVector),
              "views share one layout");

size_t RuntimeAttrs::GetAttrNum() const { return values_->Count(); }

const void* RuntimeAttrs::Pointer(size_t index) const { return values_->Pointer(index); }

}  // namespace gert
