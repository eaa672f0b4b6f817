// SPDX-License-Identifier: Apache-2.0
#include "host/op_node.h"

#include <exception>
#include <map>
#include <mutex>
#include <utility>

#include "host/op_registry.h"

namespace twin::host {
namespace {

gert::StorageShape BothShapes(const std::vector<int64_t>& dims) {
    gert::StorageShape shape;
    for (int64_t dim : dims) {
        shape.MutableOriginShape().AppendDim(dim);
        shape.MutableStorageShape().AppendDim(dim);
    }
    return shape;
}

void Fill(NodeTensor* to, const std::vector<int64_t>& dims, ge::DataType dataType,
          ge::Format format, void* values) {
    const gert::StorageFormat formats(format, format);
    const gert::TensorPlacement placement = values == nullptr ? gert::kOnDeviceHbm : gert::kOnHost;
    to->present = true;
    to->tensor = gert::Tensor(BothShapes(dims), formats, placement, dataType, values);
    to->desc = gert::CompileTimeTensorDesc(dataType, formats);
}

/// Compile infos live as long as the process, one per operator and chip. `parse` fills a new one.
struct CompileInfos {
    std::mutex mutex;
    std::map<std::string, void*> byOperator;  ///< "AddCustom/Ascend910B2"
};

CompileInfos& Infos() {
    static CompileInfos* const infos = new CompileInfos;
    return *infos;
}

ge::graphStatus PrepareCompileInfo(const OpFunctions& functions, OpNode* node, std::string* error) {
    if (functions.tilingParse == nullptr) {
        return ge::GRAPH_SUCCESS;
    }
    std::string soc;
    node->platform.GetPlatformRes("version", "SoC_version", soc);
    const std::string key = node->type + "/" + soc;
    std::lock_guard<std::mutex> lock(Infos().mutex);
    const auto found = Infos().byOperator.find(key);
    if (found != Infos().byOperator.end()) {
        node->compileInfo = found->second;
        return ge::GRAPH_SUCCESS;
    }
    node->compileInfo = functions.createCompileInfo();
    const ge::graphStatus status = functions.tilingParse(node->Parse());
    if (status != ge::GRAPH_SUCCESS) {
        functions.deleteCompileInfo(node->compileInfo);
        node->compileInfo = nullptr;
        *error = "TilingParse of " + node->type + " returned " + std::to_string(status);
        return status;
    }
    Infos().byOperator.emplace(key, node->compileInfo);
    return ge::GRAPH_SUCCESS;
}

template <typename Function, typename Context>
ge::graphStatus Call(const char* what, const OpNode& node, Function function, Context* context,
                     std::string* error) {
    if (function == nullptr) {
        *error = node.type + " has no " + what +
                 " function; register one with its OpDef or with IMPL_OP";
        return ge::GRAPH_FAILED;
    }
    try {
        const ge::graphStatus status = function(context);
        if (status != ge::GRAPH_SUCCESS) {
            *error = std::string(what) + " of " + node.type + " refused the call (status " +
                     std::to_string(status) + ")";
        }
        return status;
    } catch (const std::exception& exception) {
        *error = std::string(what) + " of " + node.type + " threw: " + exception.what();
        return ge::GRAPH_FAILED;
    }
}

}  // namespace

bool TilingResult::WorkspaceBytes(uint64_t* sum) const {
    *sum = 0;
    for (size_t i = 0; i < workspaceCount; ++i) {
        if (__builtin_add_overflow(*sum, static_cast<uint64_t>(workspaces[i]), sum)) {
            return false;
        }
    }
    return true;
}

OpNode::OpNode(std::string opType, const SocInfo& soc, size_t tilingCapacity)
    : tilingStorage_((tilingCapacity + 7) / 8),
      type(std::move(opType)),
      platform(soc),
      tilingData(tilingStorage_.data(), tilingCapacity) {
    tilingContext_.node_ = this;
    parseContext_.node_ = this;
    inferShapeContext_.node_ = this;
    inferDataTypeContext_.node_ = this;
}

void OpNode::AddInput(const std::vector<int64_t>& shape, ge::DataType dataType, ge::Format format,
                      void* values) {
    inputs.emplace_back();
    Fill(&inputs.back(), shape, dataType, format, values);
    inputs.back().instances = gert::AnchorInstanceInfo(static_cast<uint32_t>(inputs.size() - 1), 1);
}

void OpNode::AddAbsentInput() {
    // Absent inputs keep their place among the instances on the aclnn path, hence start = own
    // index.
    inputs.emplace_back();
    inputs.back().instances = gert::AnchorInstanceInfo(static_cast<uint32_t>(inputs.size() - 1), 0);
}

void OpNode::AddOutput(const std::vector<int64_t>& shape, ge::DataType dataType,
                       ge::Format format) {
    outputs.emplace_back();
    Fill(&outputs.back(), shape, dataType, format, nullptr);
    outputs.back().instances =
        gert::AnchorInstanceInfo(static_cast<uint32_t>(outputs.size() - 1), 1);
}

void OpNode::AddAbsentOutput() {
    outputs.emplace_back();
    outputs.back().instances =
        gert::AnchorInstanceInfo(static_cast<uint32_t>(outputs.size() - 1), 0);
}

ge::graphStatus RunTiling(OpNode* node, std::string* error) {
    OpFunctions functions;
    return FindTiling(node->type, &functions, error) ? RunTiling(functions, node, error)
                                                     : ge::GRAPH_FAILED;
}

ge::graphStatus RunTiling(const OpFunctions& functions, OpNode* node, std::string* error) {
    const ge::graphStatus status = PrepareCompileInfo(functions, node, error);
    if (status != ge::GRAPH_SUCCESS) {
        return status;
    }
    return Call("tiling", *node, functions.tiling, node->Tiling(), error);
}

ge::graphStatus RunInferShape(OpNode* node, std::string* error) {
    OpFunctions functions;
    if (!FindInference(node->type, &functions, error)) {
        return ge::GRAPH_FAILED;
    }
    return Call("shape inference", *node, functions.inferShape, node->InferShape(), error);
}

ge::graphStatus RunInferDataType(OpNode* node, std::string* error) {
    OpFunctions functions;
    if (!FindInference(node->type, &functions, error)) {
        return ge::GRAPH_FAILED;
    }
    if (functions.inferDataType == nullptr && functions.outputTypesLikeFirstInput &&
        !node->inputs.empty()) {
        gert::InferDataTypeContext* const context = node->InferDataType();
        for (size_t i = 0; i < node->outputs.size(); ++i) {
            context->SetOutputDataType(i, context->GetInputDataType(0));
        }
        return ge::GRAPH_SUCCESS;
    }
    return Call("dtype inference", *node, functions.inferDataType, node->InferDataType(), error);
}

}  // namespace twin::host
