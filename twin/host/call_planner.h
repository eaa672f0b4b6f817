// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "host/call_arguments.h"
#include "host/executor.h"
#include "host/op_model.h"
#include "host/op_node.h"
#include "host/op_package.h"
#include "soc/soc.h"

namespace twin::host {

/// Phase 1 of one aclnn call: makes an executor from the arguments. The private functions check the
/// call and refuse an invalid call. The order of the checks decides which error is reported.
class CallPlanner {
public:
    CallPlanner(const std::string& opType, std::vector<CallArgument> inputs,
                std::vector<CallArgument> outputs, std::vector<AttrValue> attrs);

    std::shared_ptr<Executor> Plan();

private:
    void FindModel();
    void ResolveTensors();
    void Resolve(const ParamModel& param, const CallArgument& argument, bool output);
    void ConvertScalars();
    void CheckContiguity();
    void FindRow();
    void LoadKernel();
    void RunTilingFunction();
    void AddAttrs(OpNode* node);
    void AdoptTiling(const OpNode& node);
    void LayOutWorkspace(uint64_t tilingBytes);
    bool AllOutputsEmpty() const;
    ge::Format FormatOf(const ExecutorTensor& tensor) const;
    ge::DataType DataTypeOf(const ExecutorTensor& tensor) const;
    /// Returns what tiling sees of the tensors of an input or output.
    std::vector<TensorForm> FormsOf(const ExecutorParam& param) const;
    std::string DescribeDataTypes() const;

    const std::string opType_;
    const std::vector<CallArgument> inputs_;
    const std::vector<CallArgument> outputs_;
    const std::vector<AttrValue> attrs_;
    const SocInfo& soc_;
    std::shared_ptr<const Operator> operator_;
    const OpModel* model_ = nullptr;  ///< model of the operator
    std::shared_ptr<Executor> executor_;
    std::vector<const ParamModel*> models_;  ///< for each tensor of the executor
    size_t row_ = 0;
};

}  // namespace twin::host
