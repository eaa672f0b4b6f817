// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "exe_graph/runtime/extended_kernel_context.h"
#include "exe_graph/runtime/shape.h"
#include "exe_graph/runtime/tensor.h"
#include "exe_graph/runtime/tiling_context.h"
#include "graph/ascend_string.h"
#include "graph/types.h"

using ge::AscendString;  // test helpers expect this name without ge::

namespace gert {

/// Owns a context, and the data of the operator call that the context's getters return.
class ContextHolderVoid {
public:
    ContextHolderVoid() = default;
    ContextHolderVoid(std::shared_ptr<void> node, void* context)
        : node_(std::move(node)), context_(context) {}
    ContextHolderVoid(ContextHolderVoid&&) = default;
    ContextHolderVoid& operator=(ContextHolderVoid&&) = default;

    void* GetContext() const { return context_; }

private:
    std::shared_ptr<void> node_;
    void* context_ = nullptr;
};

/// A context that a builder made. It exists as long as this object, which can only be moved.
template <typename ContextType>
class ContextHolder {
public:
    ContextHolder() = default;
    explicit ContextHolder(ContextHolderVoid&& holder) : holder_(std::move(holder)) {}

    ContextType* GetContext() { return static_cast<ContextType*>(holder_.GetContext()); }

private:
    ContextHolderVoid holder_;
};

class ContextBuilderImpl;

/// Collects the data of an operator call. Each kind of context gives access to a part of this data.
/// Tensors, compile info, platform, tiling data and workspaces belong to the caller and must exist
/// as long as the context.
class ContextBuilder {
public:
    ContextBuilder(const ContextBuilder&) = delete;
    ContextBuilder& operator=(const ContextBuilder&) = delete;
    virtual ~ContextBuilder();

protected:
    friend class OpInfo;
    ContextBuilder();

    void SetType(const ge::AscendString& type);
    void SetName(const ge::AscendString& name);
    void SetInstances(const std::vector<uint32_t>& inputs, const std::vector<uint32_t>& outputs);
    void Append(bool value);
    void Append(int64_t value);
    void Append(float value);
    void Append(const ge::AscendString& value);
    void Append(const std::vector<bool>& values);
    void Append(const std::vector<int64_t>& values);
    void Append(const std::vector<float>& values);
    void Append(const std::vector<ge::AscendString>& values);
    void Append(const std::vector<std::vector<int64_t>>& values);
    void DescribeInput(size_t index, ge::DataType dataType, ge::Format origin, ge::Format storage);
    void DescribeOutput(size_t index, ge::DataType dataType, ge::Format origin, ge::Format storage);
    /// Adds instances in the order of the parameters, after the instances of earlier calls.
    void UseInputs(const std::vector<Tensor*>& tensors);
    void UseInputs(const std::vector<Range<Tensor>*>& ranges);
    void UseInputs(const std::vector<ge::DataType*>& types);
    void UseOutputs(const std::vector<Tensor*>& tensors);
    void UseOutputs(const std::vector<StorageShape*>& shapes);
    void UseOutputs(const std::vector<Range<Shape>*>& ranges);
    void UseOutputs(const std::vector<ge::DataType*>& types);

    std::unique_ptr<ContextBuilderImpl> impl_;
};

/// Result of a builder's MutableOpInfo(). Older tests describe the operator with these functions,
/// which the builders now have, too. The names of attributes are ignored; only their order matters.
class OpInfo {
public:
    explicit OpInfo(ContextBuilder* builder) : builder_(builder) {}

    OpInfo& OpType(const ge::AscendString& type) {
        builder_->SetType(type);
        return *this;
    }
    OpInfo& OpName(const ge::AscendString& name) {
        builder_->SetName(name);
        return *this;
    }
    OpInfo& IONum(size_t inputs, size_t outputs) {
        return IOInstanceNum(std::vector<uint32_t>(inputs, 1), std::vector<uint32_t>(outputs, 1));
    }
    OpInfo& IOInstanceNum(const std::vector<uint32_t>& inputs,
                          const std::vector<uint32_t>& outputs) {
        builder_->SetInstances(inputs, outputs);
        return *this;
    }
    /// Describes an input; ignores the shape, because tensors have their own shapes.
    OpInfo& SetInputTd(size_t index, ge::DataType dataType, ge::Format origin, ge::Format storage,
                       const StorageShape& = StorageShape()) {
        builder_->DescribeInput(index, dataType, origin, storage);
        return *this;
    }
    OpInfo& SetOutputTd(size_t index, ge::DataType dataType, ge::Format origin, ge::Format storage,
                        const StorageShape& = StorageShape()) {
        builder_->DescribeOutput(index, dataType, origin, storage);
        return *this;
    }
    template <typename T>
    OpInfo& Attr(const ge::AscendString&, const T& value) {
        using Number = typename std::conditional<std::is_integral<T>::value, int64_t, float>::type;
        constexpr bool kWiden = std::is_arithmetic<T>::value && !std::is_same<T, bool>::value;
        builder_->Append(
            static_cast<typename std::conditional<kWiden, Number, const T&>::type>(value));
        return *this;
    }

private:
    ContextBuilder* builder_;
};

/// Functions that all builders have; each function returns the builder.
template <typename T>
class OpContextBuilderBase : public ContextBuilder {
public:
    T& OpType(const ge::AscendString& type) {
        SetType(type);
        return Self();
    }
    T& OpName(const ge::AscendString& name) {
        SetName(name);
        return Self();
    }
    /// Sets the numbers of inputs and outputs; each parameter has one instance.
    T& IONum(size_t inputs, size_t outputs) {
        SetInstances(std::vector<uint32_t>(inputs, 1), std::vector<uint32_t>(outputs, 1));
        return Self();
    }
    /// Sets the number of instances of each parameter: 0 for an absent optional parameter, any
    /// number for a dynamic parameter, else 1.
    T& IOInstanceNum(const std::vector<uint32_t>& inputs, const std::vector<uint32_t>& outputs) {
        SetInstances(inputs, outputs);
        return Self();
    }
    /// Adds the next attribute in the order of the definition.
    T& AppendAttr(bool value) { return Attr(value); }
    T& AppendAttr(int64_t value) { return Attr(value); }
    T& AppendAttr(float value) { return Attr(value); }
    T& AppendAttr(const ge::AscendString& value) { return Attr(value); }
    T& AppendAttr(const std::vector<bool>& values) { return Attr(values); }
    T& AppendAttr(const std::vector<int64_t>& values) { return Attr(values); }
    T& AppendAttr(const std::vector<float>& values) { return Attr(values); }
    T& AppendAttr(const std::vector<ge::AscendString>& values) { return Attr(values); }
    T& AppendAttr(const std::vector<std::vector<int64_t>>& values) { return Attr(values); }
    OpInfo& MutableOpInfo() { return info_; }

protected:
    // Only some builders make the next two functions public.
    T& InputTensorDesc(size_t index, ge::DataType dataType, ge::Format origin, ge::Format storage,
                       const ExpandDimsType& = ExpandDimsType()) {
        DescribeInput(index, dataType, origin, storage);
        return Self();
    }
    T& OutputTensorDesc(size_t index, ge::DataType dataType, ge::Format origin, ge::Format storage,
                        const ExpandDimsType& = ExpandDimsType()) {
        DescribeOutput(index, dataType, origin, storage);
        return Self();
    }

private:
    T& Self() { return static_cast<T&>(*this); }
    template <typename Value>
    T& Attr(const Value& value) {
        Append(value);
        return Self();
    }

    OpInfo info_{this};
};

class OpInferDataTypeContextBuilder : public OpContextBuilderBase<OpInferDataTypeContextBuilder> {
public:
    using OpContextBuilderBase::InputTensorDesc;
    OpInferDataTypeContextBuilder& OutputTensorDesc(size_t index, ge::Format origin,
                                                    ge::Format storage,
                                                    const ExpandDimsType& = ExpandDimsType()) {
        DescribeOutput(index, ge::DT_UNDEFINED, origin, storage);
        return *this;
    }
    /// Older functions: `Inputs` sets the inputs' dtypes, `Outputs` sets where inference stores the
    /// outputs' dtypes. nullptr means an absent tensor.
    OpInferDataTypeContextBuilder& Inputs(const std::vector<ge::DataType*>& types) {
        UseInputs(types);
        return *this;
    }
    OpInferDataTypeContextBuilder& Outputs(const std::vector<ge::DataType*>& types) {
        UseOutputs(types);
        return *this;
    }
    ContextHolder<InferDataTypeContext> Build();
};

class OpInferShapeContextBuilder : public OpContextBuilderBase<OpInferShapeContextBuilder> {
public:
    using OpContextBuilderBase::OutputTensorDesc;
    OpInferShapeContextBuilder& InputTensors(const std::vector<Tensor*>& tensors) {
        UseInputs(tensors);
        return *this;
    }
    /// Older function: sets where inference stores the shapes of the outputs.
    OpInferShapeContextBuilder& OutputShapes(const std::vector<StorageShape*>& shapes) {
        UseOutputs(shapes);
        return *this;
    }
    ContextHolder<InferShapeContext> Build();
};

class OpInferShapeRangeContextBuilder
    : public OpContextBuilderBase<OpInferShapeRangeContextBuilder> {
public:
    using OpContextBuilderBase::OutputTensorDesc;
    OpInferShapeRangeContextBuilder& InputTensorsRange(const std::vector<Range<Tensor>*>& ranges) {
        UseInputs(ranges);
        return *this;
    }
    /// Older functions: InputTensors sets the inputs' ranges; OutputShapes sets the result memory.
    OpInferShapeRangeContextBuilder& InputTensors(const std::vector<Range<Tensor>*>& ranges) {
        return InputTensorsRange(ranges);
    }
    OpInferShapeRangeContextBuilder& OutputShapes(const std::vector<Range<Shape>*>& ranges) {
        UseOutputs(ranges);
        return *this;
    }
    ContextHolder<InferShapeRangeContext> Build();
};

class OpTilingContextBuilder : public OpContextBuilderBase<OpTilingContextBuilder> {
public:
    OpTilingContextBuilder& InputTensors(const std::vector<Tensor*>& tensors) {
        UseInputs(tensors);
        return *this;
    }
    OpTilingContextBuilder& OutputTensors(const std::vector<Tensor*>& tensors) {
        UseOutputs(tensors);
        return *this;
    }
    OpTilingContextBuilder& CompileInfo(const void* compileInfo);
    /// Sets a fe::PlatFormInfos; by default the context has the chip of CANNERY_SOC.
    OpTilingContextBuilder& PlatformInfo(const void* platform);
    OpTilingContextBuilder& Deterministic(int32_t deterministic);
    OpTilingContextBuilder& DeterministicLevel(int32_t level);
    /// Sets the memory to which tiling writes; by default the builder allocates this memory.
    OpTilingContextBuilder& TilingData(const gert::TilingData* tilingData,
                                       Chain::Deleter = nullptr);
    OpTilingContextBuilder& TilingDataSize(size_t bytes);
    OpTilingContextBuilder& Workspace(const ContinuousVector* workspaces);
    ContextHolder<TilingContext> Build();
};

class OpTilingParseContextBuilder : public OpContextBuilderBase<OpTilingParseContextBuilder> {
public:
    using OpContextBuilderBase::InputTensorDesc;
    using OpContextBuilderBase::OutputTensorDesc;
    OpTilingParseContextBuilder& CompiledJson(const ge::char_t* json);
    OpTilingParseContextBuilder& CompiledInfo(const void* compileInfo);
    OpTilingParseContextBuilder& PlatformInfo(const void* platform);
    ContextHolder<TilingParseContext> Build();
};

}  // namespace gert
