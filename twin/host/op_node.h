// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "core/types.h"
#include "exe_graph/runtime/extended_kernel_context.h"
#include "exe_graph/runtime/tiling_context.h"
#include "host/op_model.h"
#include "platform/platform_info.h"
#include "soc/soc.h"

namespace twin::host {

/// A tensor of an operator call: one instance of a parameter, or an absent input of an aclnn call.
struct NodeTensor {
    NodeTensor() = default;
    NodeTensor(const NodeTensor&) = delete;
    NodeTensor& operator=(const NodeTensor&) = delete;

    bool present = false;
    gert::Tensor own;
    gert::Tensor* tensor = &own;  ///< `own`, or a tensor that the user gave to a context builder
    gert::CompileTimeTensorDesc desc;
    bool described = false;  ///< true: the user has set `desc`, which `tensor` must not change
    /// Memory that the user gave to a context builder for inferred results, or nullptr.
    gert::StorageShape* givenShape = nullptr;
    gert::Range<gert::Shape>* givenRange = nullptr;
    ge::DataType* givenType = nullptr;
    /// Inputs and results of InferShapeRange functions.
    gert::Range<gert::Tensor>* tensorRange = nullptr;
    gert::Shape least;
    gert::Shape greatest;
    gert::Range<gert::Shape> shapeRange{&least, &greatest};
};

/// What tiling sees of a tensor; `values` is its data on the host, or nullptr.
struct TensorForm {
    std::vector<int64_t> shape;
    ge::DataType dataType = ge::DT_UNDEFINED;
    ge::Format format = ge::FORMAT_ND;
    void* values = nullptr;
};

struct TilingResult {
    static constexpr size_t kMaxWorkspaces = 20;

    uint64_t tilingKey = 0;
    uint32_t blockDim = 0;  ///< 0: the tiling function has not set it
    uint32_t scheduleMode = 0;
    int32_t tilingCond = 0;
    bool needAtomic = false;
    uint32_t localMemoryBytes = 0;
    size_t workspaces[kMaxWorkspaces] = {};
    size_t workspaceCount = 0;

    /// Sums the sizes of all workspaces; returns false if the sum does not fit 64 bits.
    bool WorkspaceBytes(uint64_t* sum) const;
};

/// One call of an operator: the state of every context that tiling and inference functions get.
class TWIN_API OpNode {
    std::vector<uint64_t> tilingStorage_;  ///< declared before `tilingData`, which points into it

public:
    /// `tilingCapacity` is the largest number of bytes of tiling data.
    OpNode(std::string opType, const SocInfo& soc, size_t tilingCapacity);
    OpNode(const OpNode&) = delete;
    OpNode& operator=(const OpNode&) = delete;

    /// Adds the definition's next input; `values` is its data on the host, or nullptr.
    void AddInput(const std::vector<int64_t>& shape, ge::DataType dataType, ge::Format format,
                  void* values = nullptr);
    void AddAbsentInput();
    /// Adds the definition's next input, a dynamic one with these tensors.
    void AddInputList(const std::vector<TensorForm>& tensors);
    void AddOutput(const std::vector<int64_t>& shape, ge::DataType dataType, ge::Format format);
    void AddAbsentOutput();
    void AddOutputList(const std::vector<TensorForm>& tensors);
    /// Sets each parameter's number of instances. Call it after `inputs` and `outputs` are filled.
    void SetInstances(const std::vector<uint32_t>& inputCounts,
                      const std::vector<uint32_t>& outputCounts);
    /// Allocates memory for tiling data, which replaces the memory that the constructor allocated.
    void ReserveTilingData(size_t bytes);
    AttrValues& Attrs() { return attrs_; }
    const AttrValues& Attrs() const { return attrs_; }

    gert::TilingContext* Tiling() { return &tilingContext_; }
    gert::TilingParseContext* Parse() { return &parseContext_; }
    gert::InferShapeContext* InferShape() { return &inferShapeContext_; }
    gert::InferDataTypeContext* InferDataType() { return &inferDataTypeContext_; }
    gert::InferShapeRangeContext* InferShapeRange() { return &inferShapeRangeContext_; }
    const gert::ComputeNodeInfo* Info() const { return &info_; }
    /// Returns a copy of a context, followed by one value per input, for code that reads inputs
    /// without getters. Call it once per OpNode, after the last input was added.
    template <typename Context>
    Context* WithValues(const Context* context) {
        return static_cast<Context*>(WithValues(sizeof(Context), context));
    }
    /// KernelContext calls the next four functions to get a context's inputs and outputs by number.
    size_t InputValues(gert::KernelContext::Role role) const;
    size_t OutputValues(gert::KernelContext::Role role) const;
    void* InputValue(gert::KernelContext::Role role, size_t index);
    void* OutputValue(gert::KernelContext::Role role, size_t index);

    std::string type;
    std::string name;
    std::deque<NodeTensor> inputs;
    std::deque<NodeTensor> outputs;
    std::vector<gert::AnchorInstanceInfo> inputParams;
    std::vector<gert::AnchorInstanceInfo> outputParams;
    int32_t deterministic = 0;
    int32_t deterministicLevel = 0;
    void* compileInfo = nullptr;
    const char* compiledJson = nullptr;
    fe::PlatFormInfos platform;
    fe::PlatFormInfos* givenPlatform = nullptr;  ///< if not null, used instead of `platform`
    TilingResult result;
    gert::ContinuousVector* givenWorkspaces = nullptr;  ///< if not null, used instead of `result`
    gert::TilingData tilingData;
    gert::TilingData* givenTilingData = nullptr;  ///< if not null, used instead of `tilingData`

private:
    void Attach(gert::ExtendedKernelContext* context, gert::KernelContext::Role role);
    void* WithValues(size_t bytes, const void* context);
    /// Returns the memory to which an inference function writes the result for `output`.
    static void* ResultOf(NodeTensor* output, gert::KernelContext::Role role);

    AttrValues attrs_;
    gert::ComputeNodeInfo info_;
    std::unique_ptr<uint8_t[]> reserved_;
    std::vector<std::unique_ptr<uint8_t[]>> blocks_;
    std::vector<AsyncAnyValue> values_;
    gert::InferShapeRangeContext inferShapeRangeContext_;
    gert::TilingContext tilingContext_;
    gert::TilingParseContext parseContext_;
    gert::InferShapeContext inferShapeContext_;
    gert::InferDataTypeContext inferDataTypeContext_;
};

/// Runs the operator's tiling function. The first call for a chip runs TilingParse first.
/// If there is no tiling function, or if a function throws or crashes, returns ge::GRAPH_FAILED and
/// describes the fault in `error`. If a function refuses the call, returns the status of this
/// function; `error` then contains the text that the function has logged or printed.
TWIN_API ge::graphStatus RunTiling(OpNode* node, std::string* error);
ge::graphStatus RunTiling(const OpFunctions& functions, OpNode* node, std::string* error);
/// Runs the tiling function of an aclnn call. Refuses the call (561002) if the function fails, or
/// no kernel can start with this tiling.
void RunTilingOfCall(const OpFunctions& functions, OpNode* node);
TWIN_API ge::graphStatus RunInferShape(OpNode* node, std::string* error);
TWIN_API ge::graphStatus RunInferDataType(OpNode* node, std::string* error);
ge::graphStatus RunInferShape(const OpFunctions& functions, OpNode* node, std::string* error);
ge::graphStatus RunInferDataType(const OpFunctions& functions, OpNode* node, std::string* error);

}  // namespace twin::host
