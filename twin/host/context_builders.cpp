// SPDX-License-Identifier: Apache-2.0
// Contexts for unit tests of op_host: each builder fills an OpNode and returns one of its contexts.
#include <string>

#include "base/context_builder/op_context_builder_base.h"
#include "host/op_node.h"
#include "host/runtime.h"

namespace gert {

using twin::host::NodeTensor;
using twin::host::OpNode;

class ContextBuilderImpl {
public:
    /// Returns the OpNode of the operator call; creates it at the first use. Throws
    /// std::invalid_argument if CANNERY_SOC names an unknown chip.
    OpNode* Node() {
        if (node_ == nullptr) {
            node_ = std::make_shared<OpNode>("", twin::host::CurrentSoc(), kTilingBytes);
        }
        return node_.get();
    }
    template <typename Context>
    ContextHolderVoid Holder(Context* (OpNode::*context)()) {
        OpNode* const node = Node();
        // Tensors beyond the declared instances are not inputs of the operator.
        const auto& params = node->inputParams;
        const size_t declared =
            params.empty() ? SIZE_MAX
                           : params.back().GetInstanceStart() + params.back().GetInstanceNum();
        while (node->inputs.size() > declared) {
            node->inputs.pop_back();
        }
        for (NodeTensor& input : node->inputs) {
            if (!input.present) {  // neither given nor described
                input.tensor = nullptr;
            }
        }
        return ContextHolderVoid(node_, node->WithValues((node->*context)()));
    }

    /// Numbers of tensors that were added; a second call of InputTensors adds tensors after them.
    size_t givenInputs = 0;
    size_t givenOutputs = 0;

private:
    static constexpr size_t kTilingBytes = 8192;
    std::shared_ptr<OpNode> node_;
};

namespace {

NodeTensor& At(std::deque<NodeTensor>& tensors, size_t index) {
    while (tensors.size() <= index) {
        tensors.emplace_back();
    }
    return tensors[index];
}

void Describe(std::deque<NodeTensor>& tensors, size_t index, ge::DataType dataType,
              ge::Format origin, ge::Format storage) {
    NodeTensor& tensor = At(tensors, index);
    tensor.present = true;
    tensor.desc = CompileTimeTensorDesc(dataType, StorageFormat(origin, storage));
}

/// Describes a tensor; a tensor that the caller sets later does not change this description.
void DescribeForGood(std::deque<NodeTensor>& tensors, size_t index, ge::DataType dataType,
                     ge::Format origin, ge::Format storage) {
    constexpr size_t kMost = 4096;  // an absurd index must not fill the memory
    if (index < kMost) {
        Describe(tensors, index, dataType, origin, storage);
        tensors[index].described = true;
    }
}

void Use(std::deque<NodeTensor>& tensors, size_t index, Tensor* given) {
    if (given == nullptr) {
        At(tensors, index).present = false;
        return;
    }
    NodeTensor& tensor = At(tensors, index);
    if (!tensor.described) {
        Describe(tensors, index, given->GetDataType(), given->GetOriginFormat(),
                 given->GetStorageFormat());
    }
    tensor.present = true;
    tensor.tensor = given;
}

/// Sets the dtype of the tensor at `index`, adding the tensor if necessary, and returns the tensor.
NodeTensor& UseType(std::deque<NodeTensor>& tensors, size_t index, const ge::DataType* type) {
    NodeTensor& tensor = At(tensors, index);
    tensor.present = type != nullptr;
    if (tensor.present) {
        tensor.desc = CompileTimeTensorDesc(*type, tensor.desc.GetFormat());
    }
    return tensor;
}

}  // namespace

ContextBuilder::ContextBuilder() : impl_(new ContextBuilderImpl) {}

ContextBuilder::~ContextBuilder() = default;

void ContextBuilder::SetType(const ge::AscendString& type) {
    impl_->Node()->type = type.GetString();
}

void ContextBuilder::SetName(const ge::AscendString& name) {
    impl_->Node()->name = name.GetString();
}

void ContextBuilder::SetInstances(const std::vector<uint32_t>& inputs,
                                  const std::vector<uint32_t>& outputs) {
    OpNode* const node = impl_->Node();
    node->inputParams.clear();
    node->outputParams.clear();
    node->SetInstances(inputs, outputs);
}

void ContextBuilder::Append(bool value) { impl_->Node()->Attrs().Add(value); }

void ContextBuilder::Append(int64_t value) { impl_->Node()->Attrs().Add(value); }

void ContextBuilder::Append(float value) { impl_->Node()->Attrs().Add(value); }

void ContextBuilder::Append(const ge::AscendString& value) {
    impl_->Node()->Attrs().Add(std::string(value.GetString()));
}

void ContextBuilder::Append(const std::vector<bool>& values) {
    impl_->Node()->Attrs().Add(std::vector<uint8_t>(values.begin(), values.end()));
}

void ContextBuilder::Append(const std::vector<int64_t>& values) {
    impl_->Node()->Attrs().Add(values);
}

void ContextBuilder::Append(const std::vector<float>& values) {
    impl_->Node()->Attrs().Add(values);
}

void ContextBuilder::Append(const std::vector<ge::AscendString>& values) {
    // No public source shows how the toolkit passes a list of strings. The twin passes one text
    // with a line for each string.
    std::string text;
    for (const ge::AscendString& value : values) {
        text += std::string(value.GetString()) + "\n";
    }
    impl_->Node()->Attrs().Add(text);
}

void ContextBuilder::Append(const std::vector<std::vector<int64_t>>& values) {
    impl_->Node()->Attrs().Add(values);
}

void ContextBuilder::DescribeInput(size_t index, ge::DataType dataType, ge::Format origin,
                                   ge::Format storage) {
    DescribeForGood(impl_->Node()->inputs, index, dataType, origin, storage);
}

void ContextBuilder::DescribeOutput(size_t index, ge::DataType dataType, ge::Format origin,
                                    ge::Format storage) {
    DescribeForGood(impl_->Node()->outputs, index, dataType, origin, storage);
}

void ContextBuilder::UseInputs(const std::vector<Tensor*>& tensors) {
    for (Tensor* const tensor : tensors) {
        Use(impl_->Node()->inputs, impl_->givenInputs++, tensor);
    }
}

void ContextBuilder::UseInputs(const std::vector<Range<Tensor>*>& ranges) {
    OpNode* const node = impl_->Node();
    for (Range<Tensor>* const range : ranges) {
        const bool whole =
            range != nullptr && range->GetMin() != nullptr && range->GetMax() != nullptr;
        const size_t index = impl_->givenInputs++;
        Use(node->inputs, index, whole ? range->GetMin() : nullptr);
        if (whole) {
            NodeTensor& tensor = node->inputs[index];
            tensor.tensorRange = range;
            tensor.least = range->GetMin()->GetOriginShape();
            tensor.greatest = range->GetMax()->GetOriginShape();
        }
    }
}

void ContextBuilder::UseInputs(const std::vector<ge::DataType*>& types) {
    for (const ge::DataType* const type : types) {
        UseType(impl_->Node()->inputs, impl_->givenInputs++, type);
    }
}

void ContextBuilder::UseOutputs(const std::vector<Tensor*>& tensors) {
    for (Tensor* const tensor : tensors) {
        Use(impl_->Node()->outputs, impl_->givenOutputs++, tensor);
    }
}

void ContextBuilder::UseOutputs(const std::vector<StorageShape*>& shapes) {
    for (StorageShape* const shape : shapes) {
        At(impl_->Node()->outputs, impl_->givenOutputs++).givenShape = shape;
    }
}

void ContextBuilder::UseOutputs(const std::vector<Range<Shape>*>& ranges) {
    for (Range<Shape>* const range : ranges) {
        At(impl_->Node()->outputs, impl_->givenOutputs++).givenRange = range;
    }
}

void ContextBuilder::UseOutputs(const std::vector<ge::DataType*>& types) {
    for (ge::DataType* const type : types) {
        UseType(impl_->Node()->outputs, impl_->givenOutputs++, type).givenType = type;
    }
}

OpTilingContextBuilder& OpTilingContextBuilder::CompileInfo(const void* compileInfo) {
    impl_->Node()->compileInfo = const_cast<void*>(compileInfo);
    return *this;
}

OpTilingContextBuilder& OpTilingContextBuilder::PlatformInfo(const void* platform) {
    impl_->Node()->givenPlatform = static_cast<fe::PlatFormInfos*>(const_cast<void*>(platform));
    return *this;
}

OpTilingContextBuilder& OpTilingContextBuilder::Deterministic(int32_t deterministic) {
    impl_->Node()->deterministic = deterministic;
    return *this;
}

OpTilingContextBuilder& OpTilingContextBuilder::DeterministicLevel(int32_t level) {
    impl_->Node()->deterministicLevel = level;
    return *this;
}

OpTilingContextBuilder& OpTilingContextBuilder::TilingData(const gert::TilingData* tilingData,
                                                           Chain::Deleter) {
    impl_->Node()->givenTilingData = const_cast<gert::TilingData*>(tilingData);
    return *this;
}

OpTilingContextBuilder& OpTilingContextBuilder::TilingDataSize(size_t bytes) {
    impl_->Node()->ReserveTilingData(bytes);
    return *this;
}

OpTilingContextBuilder& OpTilingContextBuilder::Workspace(const ContinuousVector* workspaces) {
    impl_->Node()->givenWorkspaces = const_cast<ContinuousVector*>(workspaces);
    return *this;
}

ContextHolder<TilingContext> OpTilingContextBuilder::Build() {
    return ContextHolder<TilingContext>(impl_->Holder(&twin::host::OpNode::Tiling));
}

OpTilingParseContextBuilder& OpTilingParseContextBuilder::CompiledJson(const ge::char_t* json) {
    impl_->Node()->compiledJson = json;
    return *this;
}

OpTilingParseContextBuilder& OpTilingParseContextBuilder::CompiledInfo(const void* compileInfo) {
    impl_->Node()->compileInfo = const_cast<void*>(compileInfo);
    return *this;
}

OpTilingParseContextBuilder& OpTilingParseContextBuilder::PlatformInfo(const void* platform) {
    impl_->Node()->givenPlatform = static_cast<fe::PlatFormInfos*>(const_cast<void*>(platform));
    return *this;
}

ContextHolder<TilingParseContext> OpTilingParseContextBuilder::Build() {
    return ContextHolder<TilingParseContext>(impl_->Holder(&twin::host::OpNode::Parse));
}

ContextHolder<InferShapeContext> OpInferShapeContextBuilder::Build() {
    return ContextHolder<InferShapeContext>(impl_->Holder(&twin::host::OpNode::InferShape));
}

ContextHolder<InferShapeRangeContext> OpInferShapeRangeContextBuilder::Build() {
    return ContextHolder<InferShapeRangeContext>(
        impl_->Holder(&twin::host::OpNode::InferShapeRange));
}

ContextHolder<InferDataTypeContext> OpInferDataTypeContextBuilder::Build() {
    return ContextHolder<InferDataTypeContext>(impl_->Holder(&twin::host::OpNode::InferDataType));
}

}  // namespace gert
