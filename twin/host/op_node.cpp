// SPDX-License-Identifier: Apache-2.0
#include "host/op_node.h"

#include <cstring>
#include <exception>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include "core/core_output.h"
#include "core/host_output.h"
#include "host/error.h"
#include "host/op_package.h"

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

/// Adds a parameter with these tensors to `params`, and the tensors to `to`.
void AddTensors(const std::vector<TensorForm>& tensors,
                std::vector<gert::AnchorInstanceInfo>* params, std::deque<NodeTensor>* to) {
    params->emplace_back(static_cast<uint32_t>(to->size()), static_cast<uint32_t>(tensors.size()));
    for (const TensorForm& form : tensors) {
        const gert::StorageFormat formats(form.format, form.format);
        const auto placement = form.values == nullptr ? gert::kOnDeviceHbm : gert::kOnHost;
        NodeTensor& tensor = to->emplace_back();
        tensor.present = true;
        tensor.own =
            gert::Tensor(BothShapes(form.shape), formats, placement, form.dataType, form.values);
        tensor.desc = gert::CompileTimeTensorDesc(form.dataType, formats);
    }
}

/// Compile infos by TilingParse function, operator and chip; they exist until the process ends.
struct CompileInfos {
    using Key = std::tuple<gert::OpImplRegisterV2::TilingParseFunc, std::string, std::string>;
    std::mutex mutex;
    std::map<Key, void*> byOperator;
};

/// Returns the error message for a call that the function `what` has refused. `said` is the text
/// that this function has logged or printed.
std::string Refusal(const std::string& what, ge::graphStatus status, const std::string& said) {
    if (!said.empty()) {
        return what + " refused the call: " + said;
    }
    return what + " refused the call: it returned " +
           (status == ge::GRAPH_FAILED ? "GRAPH_FAILED" : std::to_string(status)) +
           "; it logged no reason (try: log one before it returns, with printf, or with OP_LOGE "
           "of log/log.h)";
}

template <typename Function, typename Context>
ge::graphStatus Call(const char* name, const OpNode& node, Function function, Context* context,
                     std::string* error) {
    const std::string what = std::string(name) + " of " + node.type;
    if (function == nullptr) {
        *error = node.type + " has no " + name +
                 " function; register one with its OpDef or with IMPL_OP";
        return ge::GRAPH_FAILED;
    }
    ge::graphStatus status = ge::GRAPH_FAILED;
    const HostOutput output;
    bool threw = false;
    const auto call = [&] {
        try {
            status = function(context);
        } catch (const std::exception& exception) {
            threw = true;
            *error = what + " threw: " + exception.what();
        } catch (...) {
            threw = true;
            *error = what + " threw what is no std::exception";
        }
    };
    // Faults in the operator's function must not end the process.
    MemoryFault fault;
    WatchFaults();
    if (!Contained(call, &fault)) {
        *error = what + " ended with " + DescribeSignal(fault);
        status = ge::GRAPH_FAILED;
    } else if (status != ge::GRAPH_SUCCESS && !threw) {
        *error = Refusal(what, status, output.Reason());
    }
    return status;
}

ge::graphStatus PrepareCompileInfo(const OpFunctions& functions, OpNode* node, std::string* error) {
    if (functions.tilingParse == nullptr) {
        return ge::GRAPH_SUCCESS;
    }
    std::string soc;
    node->platform.GetPlatformRes("version", "SoC_version", soc);
    static auto* const infos = new CompileInfos;
    const CompileInfos::Key key{functions.tilingParse, node->type, soc};
    std::lock_guard<std::mutex> lock(infos->mutex);
    const auto found = infos->byOperator.find(key);
    if (found != infos->byOperator.end()) {
        node->compileInfo = found->second;
        return ge::GRAPH_SUCCESS;
    }
    node->compileInfo = functions.createCompileInfo();
    const ge::graphStatus status =
        Call("TilingParse", *node, functions.tilingParse, node->Parse(), error);
    if (status != ge::GRAPH_SUCCESS) {
        functions.deleteCompileInfo(node->compileInfo);
        node->compileInfo = nullptr;
        return status;
    }
    infos->byOperator.emplace(key, node->compileInfo);
    return ge::GRAPH_SUCCESS;
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
    name = type;
    info_.node_ = this;
    Attach(&tilingContext_, gert::KernelContext::kTiling);
    Attach(&parseContext_, gert::KernelContext::kTilingParse);
    Attach(&inferShapeContext_, gert::KernelContext::kInferShape);
    Attach(&inferShapeRangeContext_, gert::KernelContext::kInferShapeRange);
    Attach(&inferDataTypeContext_, gert::KernelContext::kInferDataType);
}

void OpNode::Attach(gert::ExtendedKernelContext* context, gert::KernelContext::Role role) {
    context->context_.compute_node_info = this;
    context->context_.output_size = role;
}

void* OpNode::WithValues(size_t bytes, const void* context) {
    const size_t count = inputs.size();
    values_.resize(count);
    blocks_.emplace_back(new uint8_t[bytes + count * sizeof(AsyncAnyValue*)]());
    auto* const copy = reinterpret_cast<KernelRunContext*>(blocks_.back().get());
    std::memcpy(copy, context, bytes);
    copy->input_size = count;
    for (size_t i = 0; i < count; ++i) {
        values_[i].data.pointer = inputs[i].tensor;
        copy->values[i] = &values_[i];
    }
    return copy;
}

void OpNode::AddInput(const std::vector<int64_t>& shape, ge::DataType dataType, ge::Format format,
                      void* values) {
    AddInputList({{shape, dataType, format, values}});
}

void OpNode::AddInputList(const std::vector<TensorForm>& tensors) {
    AddTensors(tensors, &inputParams, &inputs);
}

void OpNode::AddAbsentInput() {
    // In an aclnn call, `inputs` has an element also for an absent input.
    inputParams.emplace_back(static_cast<uint32_t>(inputs.size()), 0);
    inputs.emplace_back();
}

void OpNode::AddOutput(const std::vector<int64_t>& shape, ge::DataType dataType,
                       ge::Format format) {
    AddOutputList({{shape, dataType, format, nullptr}});
}

void OpNode::AddOutputList(const std::vector<TensorForm>& tensors) {
    AddTensors(tensors, &outputParams, &outputs);
}

void OpNode::AddAbsentOutput() {
    outputParams.emplace_back(static_cast<uint32_t>(outputs.size()), 0);
    outputs.emplace_back();
}

void OpNode::SetInstances(const std::vector<uint32_t>& inputCounts,
                          const std::vector<uint32_t>& outputCounts) {
    const auto set = [](const std::vector<uint32_t>& counts, auto* params, auto* tensors) {
        uint32_t start = 0;
        for (uint32_t count : counts) {
            params->emplace_back(start, count);
            start += count;
        }
        while (tensors->size() < start) {
            tensors->emplace_back();
        }
    };
    set(inputCounts, &inputParams, &inputs);
    set(outputCounts, &outputParams, &outputs);
}

void OpNode::ReserveTilingData(size_t bytes) {
    reserved_ = gert::TilingData::CreateCap(bytes);
    givenTilingData = reinterpret_cast<gert::TilingData*>(reserved_.get());
}

ge::graphStatus RunTiling(OpNode* node, std::string* error) {
    OpFunctions functions;
    return FindTiling(node->type, &functions, error) ? RunTiling(functions, node, error)
                                                     : ge::GRAPH_FAILED;
}

ge::graphStatus RunTiling(const OpFunctions& functions, OpNode* node, std::string* error) {
    const ge::graphStatus status = PrepareCompileInfo(functions, node, error);
    return status != ge::GRAPH_SUCCESS
               ? status
               : Call("tiling", *node, functions.tiling, node->Tiling(), error);
}

void RunTilingOfCall(const OpFunctions& functions, OpNode* node) {
    std::string error;
    if (RunTiling(functions, node, &error) != ge::GRAPH_SUCCESS) {
        Refuse(kAclnnTiling, "%s", error.c_str());
    }
    const char* const type = node->type.c_str();
    const gert::TilingData& data = node->tilingData;
    if (node->result.blockDim == 0) {
        Refuse(kAclnnTiling, "tiling of %s set no block dim; call SetBlockDim", type);
    }
    if (data.GetDataSize() > data.GetCapacity()) {
        Refuse(kAclnnTiling, "tiling of %s set a data size of %zu bytes; at most %zu fit", type,
               data.GetDataSize(), data.GetCapacity());
    }
    uint64_t workspace = 0;
    if (!node->result.WorkspaceBytes(&workspace)) {
        Refuse(kAclnnTiling, "tiling of %s asked for workspaces whose sum does not fit 64 bits",
               type);
    }
}

ge::graphStatus RunInferShape(OpNode* node, std::string* error) {
    OpFunctions functions;
    return FindInference(node->type, &functions, error) ? RunInferShape(functions, node, error)
                                                        : ge::GRAPH_FAILED;
}

ge::graphStatus RunInferShape(const OpFunctions& functions, OpNode* node, std::string* error) {
    return Call("shape inference", *node, functions.inferShape, node->InferShape(), error);
}

ge::graphStatus RunInferDataType(OpNode* node, std::string* error) {
    OpFunctions functions;
    return FindInference(node->type, &functions, error) ? RunInferDataType(functions, node, error)
                                                        : ge::GRAPH_FAILED;
}

ge::graphStatus RunInferDataType(const OpFunctions& functions, OpNode* node, std::string* error) {
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
