// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HOST_WORKBENCH_TILING_CALL_H
#define TWIN_HOST_WORKBENCH_TILING_CALL_H

#include <memory>
#include <string>
#include <vector>

#include "host/json.h"
#include "host/op_node.h"
#include "host/workbench/host_operator.h"
#include "soc/soc.h"

namespace twin::host {

/// A tensor of a call without memory: the part that tiling sees.
struct PlannedTensor {
    bool present = false;
    std::vector<int64_t> shape;
    ge::DataType dataType = ge::DT_UNDEFINED;
    ge::Format format = ge::FORMAT_ND;
    void* values = nullptr;  ///< host memory of a value-depend input
};

/// Computes the tiling of a call without making the call: the first phase of aclnn, as far as it
/// needs only shapes and attributes. Each step returns a status and leaves a sentence, with the
/// codes of that phase.
class TilingCall {
public:
    /// Throws std::invalid_argument if it is no request (workbench.h describes the contents).
    explicit TilingCall(const Json& request);

    int Plan();
    /// Key, blocks, workspaces, data, as JSON members; empty before a successful Plan.
    std::string Result() const { return result_; }
    /// Outputs as JSON: a list of [shape, dtype], null for absent ones.
    std::string Outputs() const;

private:
    int CheckDefinition();
    int CheckTensors();
    int InferOutputs();
    int TakeInferred(OpNode* node);
    int FindRow();
    int RunTilingFunction();
    int AddAttrs(OpNode* node) const;
    void AddInputs(OpNode* node) const;
    std::vector<bool> FittingRows(bool withOutputs) const;
    std::string DescribeTensors() const;
    std::string DescribeRows() const;
    const char* Type() const { return opType_.c_str(); }

    std::string place_;
    std::string opType_;
    const SocInfo* soc_ = nullptr;
    std::shared_ptr<const HostOperator> op_;
    std::vector<PlannedTensor> inputs_;
    std::vector<PlannedTensor> outputs_;
    std::vector<AttrValue> attrs_;
    bool outputsGiven_ = false;
    int32_t deterministic_ = 0;
    size_t row_ = 0;  ///< row of the definition
    std::string result_;
};

}  // namespace twin::host

#endif  // TWIN_HOST_WORKBENCH_TILING_CALL_H
