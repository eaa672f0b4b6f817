// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "core/types.h"
#include "host/executor.h"
#include "host/op_model.h"
#include "host/op_node.h"
#include "host/op_package.h"
#include "soc/soc.h"

namespace twin::host {

/// A generated `aclnnInner<Op>GetWorkspaceSize` fills this: the operator's parameters in definition
/// order. It is the twin's counterpart of the Nnopbase* calls that op_build generates.
class TWIN_API OpCall {
public:
    explicit OpCall(const char* opType);
    ~OpCall();
    OpCall(const OpCall&) = delete;
    OpCall& operator=(const OpCall&) = delete;

    void Input(const aclTensor* tensor);    ///< nullptr: an absent optional input
    void Input(const aclIntArray* values);  ///< value-depend input: an INT64 vector on the device
                                            ///< and values for tiling
    void Output(const aclTensor* tensor);   ///< nullptr: an absent optional output
    void Attr(int64_t value);
    void Attr(bool value);
    void Attr(float value);
    void Attr(const char* value);          ///< nullptr: the definition's default
    void Attr(const aclIntArray* values);  ///< nullptr: the definition's default

    /// Phase 1: dtype row, contiguity, tiling, kernel look-up. The executor belongs to the caller
    /// only if this succeeds.
    aclnnStatus GetWorkspaceSize(uint64_t* workspaceSize, aclOpExecutor** executor);

    struct State;

private:
    std::unique_ptr<State> state_;
};

/// Phase 2 of the operator `opType`; the executor must belong to this operator.
TWIN_API aclnnStatus RunExecutor(const char* opType, void* workspace, uint64_t workspaceSize,
                                 aclOpExecutor* executor, aclrtStream stream);

/// Sets the sentence that the next `aclGetRecentErrMsg` of this thread returns.
TWIN_API void SetRecentError(const char* format, ...) __attribute__((format(printf, 1, 2)));

/// One tensor argument of a call: a tensor, an int array, or nothing (absent).
struct CallArgument {
    const aclTensor* tensor = nullptr;
    const aclIntArray* array = nullptr;
};

/// Phase 1 of one call: it makes an executor from the arguments, and checks in the order that
/// callers rely on. Each step returns a status and leaves a sentence.
class CallPlanner {
public:
    CallPlanner(const std::string& opType, std::vector<CallArgument> inputs,
                std::vector<CallArgument> outputs, std::vector<AttrValue> attrs);

    int Plan();
    std::shared_ptr<Executor> Result() const { return executor_; }

private:
    int FindModel();
    int ResolveTensors();
    int ResolveTensor(const ParamModel& param, const CallArgument& argument, bool output);
    int CheckSoc();
    int CheckContiguity();
    int FindRow();
    int LoadKernel();
    int RunTilingFunction();
    int AddAttrs(OpNode* node);
    int AdoptTiling(OpNode* node);
    int LayOutWorkspace(uint64_t tilingBytes);
    bool AllOutputsEmpty() const;
    ge::Format FormatOf(const ExecutorTensor& tensor) const;
    ge::DataType DataTypeOf(const ExecutorTensor& tensor) const;
    const ParamModel& ParamOf(size_t index) const;
    std::string DescribeDataTypes() const;
    std::string DescribeRows() const;

    const std::string opType_;
    const std::vector<CallArgument> inputs_;
    const std::vector<CallArgument> outputs_;
    const std::vector<AttrValue> attrs_;
    const SocInfo& soc_;
    std::shared_ptr<const Operator> operator_;
    const OpModel* model_ = nullptr;  ///< model of the operator
    std::shared_ptr<Executor> executor_;
    size_t row_ = 0;
};

}  // namespace twin::host
