// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HOST_OP_NODE_H
#define TWIN_HOST_OP_NODE_H

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "core/export.h"
#include "exe_graph/runtime/infer_datatype_context.h"
#include "exe_graph/runtime/infer_shape_context.h"
#include "exe_graph/runtime/tiling_context.h"
#include "exe_graph/runtime/tiling_parse_context.h"
#include "host/attr_values.h"
#include "host/op_functions.h"
#include "platform/platform_infos_def.h"
#include "soc/soc.h"

namespace twin::host {

/// One tensor parameter of a node.
struct NodeTensor {
    bool present = false;
    gert::Tensor tensor;
    gert::CompileTimeTensorDesc desc;
    gert::AnchorInstanceInfo instances;
};

/// What tiling wrote.
struct TilingResult {
    static constexpr size_t kMaxWorkspaces = 20;

    uint64_t tilingKey = 0;
    uint32_t blockDim = 0;  ///< 0: never set
    uint32_t scheduleMode = 0;
    int32_t tilingCond = 0;
    bool needAtomic = false;
    uint32_t localMemoryBytes = 0;
    size_t workspaces[kMaxWorkspaces] = {};
    size_t workspaceCount = 0;

    /// false when the sum does not fit 64 bits.
    bool WorkspaceBytes(uint64_t* sum) const;
};

/// One call of an operator: the state behind every context that tiling and inference functions get.
class TWIN_API OpNode {
    std::vector<uint64_t> tilingStorage_;  ///< before `tilingData`, which points into it

public:
    /// `tilingCapacity`: bytes that tiling data may take.
    OpNode(std::string opType, const SocInfo& soc, size_t tilingCapacity);
    OpNode(const OpNode&) = delete;
    OpNode& operator=(const OpNode&) = delete;

    /// In definition order. `values`: host data of a value-depend input, else nullptr.
    void AddInput(const std::vector<int64_t>& shape, ge::DataType dataType, ge::Format format,
                  void* values = nullptr);
    void AddAbsentInput();
    void AddOutput(const std::vector<int64_t>& shape, ge::DataType dataType, ge::Format format);
    void AddAbsentOutput();
    AttrValues& Attrs() { return attrs_; }
    const AttrValues& Attrs() const { return attrs_; }

    gert::TilingContext* Tiling() { return &tilingContext_; }
    gert::TilingParseContext* Parse() { return &parseContext_; }
    gert::InferShapeContext* InferShape() { return &inferShapeContext_; }
    gert::InferDataTypeContext* InferDataType() { return &inferDataTypeContext_; }

    std::string type;
    std::deque<NodeTensor> inputs;
    std::deque<NodeTensor> outputs;
    int32_t deterministic = 0;
    void* compileInfo = nullptr;
    fe::PlatFormInfos platform;
    TilingResult result;
    gert::TilingData tilingData;

private:
    AttrValues attrs_;
    gert::TilingContext tilingContext_;
    gert::TilingParseContext parseContext_;
    gert::InferShapeContext inferShapeContext_;
    gert::InferDataTypeContext inferDataTypeContext_;
};

/// Runs the operator's registered function (for tiling: TilingParse first, once per chip).
/// ge::GRAPH_FAILED and a sentence when there is none or it throws.
TWIN_API ge::graphStatus RunTiling(OpNode* node, std::string* error);
ge::graphStatus RunTiling(const OpFunctions& functions, OpNode* node, std::string* error);
TWIN_API ge::graphStatus RunInferShape(OpNode* node, std::string* error);
TWIN_API ge::graphStatus RunInferDataType(OpNode* node, std::string* error);

}  // namespace twin::host

#endif  // TWIN_HOST_OP_NODE_H
