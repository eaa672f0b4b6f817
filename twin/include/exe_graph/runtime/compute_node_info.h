// SPDX-License-Identifier: Apache-2.0
#ifndef EXE_GRAPH_RUNTIME_COMPUTE_NODE_INFO_H
#define EXE_GRAPH_RUNTIME_COMPUTE_NODE_INFO_H

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "exe_graph/runtime/runtime_attrs.h"
#include "exe_graph/runtime/storage_format.h"
#include "graph/types.h"

namespace twin {
namespace host {
class OpNode;
}
}  // namespace twin

namespace gert {

/// The place of the instances of one parameter of the definition; an absent optional parameter has
/// 0 instances.
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

/// The node of a context, for code that does not use the context's own getters.
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

}  // namespace gert

#endif  // EXE_GRAPH_RUNTIME_COMPUTE_NODE_INFO_H
