// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "exe_graph/runtime/kernel_context.h"
#include "exe_graph/runtime/runtime_attrs.h"
#include "exe_graph/runtime/shape.h"
#include "exe_graph/runtime/tensor.h"
#include "graph/types.h"

namespace twin {
namespace host {
class OpNode;
}
}  // namespace twin

namespace gert {

/// Index of the first instance and number of instances of one parameter. An absent optional
/// parameter has 0 instances.
class AnchorInstanceInfo {
public:
    AnchorInstanceInfo() = default;
    AnchorInstanceInfo(const uint32_t start, const uint32_t count) : start_(start), count_(count) {}

    size_t GetInstanceNum() const { return count_; }
    size_t GetInstanceStart() const { return start_; }

private:
    uint32_t start_ = 0;
    uint32_t count_ = 0;
};

class CompileTimeTensorDesc {
public:
    CompileTimeTensorDesc() = default;
    CompileTimeTensorDesc(const ge::DataType dataType, const StorageFormat& format)
        : dataType_(dataType), format_(format) {}

    ge::DataType GetDataType() const { return dataType_; }
    void SetDataType(const ge::DataType dataType) { dataType_ = dataType; }
    void SetOriginFormat(const ge::Format format) { format_.SetOriginFormat(format); }
    void SetStorageFormat(const ge::Format format) { format_.SetStorageFormat(format); }
    const StorageFormat& GetFormat() const { return format_; }
    ge::Format GetOriginFormat() const { return format_.GetOriginFormat(); }
    ge::Format GetStorageFormat() const { return format_.GetStorageFormat(); }

private:
    ge::DataType dataType_ = ge::DT_UNDEFINED;
    StorageFormat format_;
};
static_assert(std::is_standard_layout<CompileTimeTensorDesc>::value,
              "CompileTimeTensorDesc must stay standard layout");

/// Data of the operator call, for code that does not use the context's own getters.
class ComputeNodeInfo {
public:
    const ge::char_t* GetNodeType() const;
    const ge::char_t* GetNodeName() const;
    size_t GetIrInputsNum() const;
    size_t GetIrOutputsNum() const;
    size_t GetInputsNum() const;
    size_t GetOutputsNum() const;
    const AnchorInstanceInfo* GetInputInstanceInfo(size_t irIndex) const;
    const AnchorInstanceInfo* GetOutputInstanceInfo(size_t irIndex) const;
    const CompileTimeTensorDesc* GetInputTdInfo(size_t index) const;
    const CompileTimeTensorDesc* GetOutputTdInfo(size_t index) const;
    const RuntimeAttrs* GetAttrs() const;

private:
    friend class twin::host::OpNode;
    const twin::host::OpNode* node_ = nullptr;
};

/// Data of the operator call that every context has. `index` is the index of an instance, `irIndex`
/// that of a parameter. Getters return nullptr for an absent input or parameter.
class ExtendedKernelContext : protected KernelContext {
public:
    TWIN_INPUT_GETTERS(const CompileTimeTensorDesc*, Desc)
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

/// Context of dtype inference; getters return DT_UNDEFINED for absent tensors.
class InferDataTypeContext : public ExtendedKernelContext {
public:
    TWIN_INPUT_GETTERS(ge::DataType, DataType)
    ge::DataType GetOutputDataType(size_t index) const;
    ge::graphStatus SetOutputDataType(size_t index, ge::DataType dataType);
};
static_assert(std::is_standard_layout<InferDataTypeContext>::value,
              "InferDataTypeContext must stay standard layout");

class InferShapeContext : public ExtendedKernelContext {
public:
    TWIN_INPUT_GETTERS(const Shape*, Shape)
    TWIN_INPUT_GETTERS(const Tensor*, Tensor)
    /// Returns the output shape, to which the inference function writes.
    Shape* GetOutputShape(size_t index);
};
static_assert(std::is_standard_layout<InferShapeContext>::value,
              "InferShapeContext must stay standard layout");

/// Context of shape inference for tensors with only a known smallest and largest shape.
class InferShapeRangeContext : public ExtendedKernelContext {
public:
    TWIN_INPUT_GETTERS(const Range<Shape>*, ShapeRange)
    TWIN_INPUT_GETTERS(const Range<Tensor>*, TensorRange)
    /// Returns the output's shape range, to which the inference function writes.
    Range<Shape>* GetOutputShapeRange(size_t index);
};

}  // namespace gert

namespace fe {
class PlatFormInfos;
}

namespace gert {

/// Context of a TilingParse function, which fills the compile info once per operator and chip.
class TilingParseContext : public ExtendedKernelContext {
public:
    /// Returns the JSON text that a test set, else nullptr, because the twin's kernels have none.
    const ge::char_t* GetCompiledJson() const;
    template <typename T>
    T* GetCompiledInfo() {
        return static_cast<T*>(CompiledInfo());
    }
    fe::PlatFormInfos* GetPlatformInfo() const;

private:
    void* CompiledInfo() const;
};

}  // namespace gert
