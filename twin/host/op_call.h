// SPDX-License-Identifier: Apache-2.0
// Generated functions of operators include this header; toolkits compile them as C++11.
#pragma once

#include <cstdint>
#include <memory>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "core/export.h"

namespace twin::host {

/// Collects the parameters of an operator call in definition order. The generated function
/// `aclnnInner<Op>GetWorkspaceSize` adds them. (The toolkit's generated functions call Nnopbase*.)
class TWIN_API OpCall {
public:
    explicit OpCall(const char* opType);
    ~OpCall();
    OpCall(const OpCall&) = delete;
    OpCall& operator=(const OpCall&) = delete;

    void Input(const aclTensor* tensor);        ///< nullptr: an absent optional input
    void Input(const aclTensorList* tensors);   ///< a dynamic input
    void Input(const aclIntArray* values);      ///< input that both tiling and the kernel read
    void Input(const aclFloatArray* values);    ///< the same, of floats
    void Input(const aclBoolArray* values);     ///< the same, of bools
    void Input(const aclScalar* value);         ///< input that has one value
    void Input(const aclScalarList* values);    ///< input that has a value for each scalar
    void Output(const aclTensor* tensor);       ///< nullptr: an absent optional output
    void Output(const aclTensorList* tensors);  ///< a dynamic output
    void Attr(int64_t value);
    void Attr(bool value);
    void Attr(float value);
    void Attr(const char* value);          ///< nullptr: the definition's default
    void Attr(const aclIntArray* values);  ///< nullptr: the definition's default
    void Attr(const aclFloatArray* values);
    void Attr(const aclBoolArray* values);

    /// Runs phase 1: finds the row of the operator's definition that has the tensors' dtypes,
    /// checks contiguity, runs tiling, finds the kernel. After a failure, there is no executor.
    aclnnStatus GetWorkspaceSize(uint64_t* workspaceSize, aclOpExecutor** executor);

    struct State;

private:
    std::unique_ptr<State> state_;
};

/// Runs phase 2 of the operator `opType`; the executor must belong to this operator.
TWIN_API aclnnStatus RunExecutor(const char* opType, void* workspace, uint64_t workspaceSize,
                                 aclOpExecutor* executor, aclrtStream stream);

/// Sets the sentence that the next `aclGetRecentErrMsg` of this thread returns.
TWIN_API void SetRecentError(const char* format, ...) __attribute__((format(printf, 1, 2)));

}  // namespace twin::host
