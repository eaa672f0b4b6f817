// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HOST_OP_CALL_H
#define TWIN_HOST_OP_CALL_H

#include <cstdint>
#include <memory>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "core/export.h"

namespace twin::host {

/// What a generated `aclnnInner<Op>GetWorkspaceSize` fills in: the operator's parameters in
/// definition order. The twin's counterpart of the Nnopbase* calls that op_build generates.
class TWIN_API OpCall {
public:
    explicit OpCall(const char* opType);
    ~OpCall();
    OpCall(const OpCall&) = delete;
    OpCall& operator=(const OpCall&) = delete;

    void Input(const aclTensor* tensor);  ///< nullptr: an absent optional input
    void Input(const aclIntArray*
                   values);  ///< value-depend input, an INT64 vector on the device and for tiling
    void Output(const aclTensor* tensor);  ///< nullptr: an absent optional output
    void Attr(int64_t value);
    void Attr(bool value);
    void Attr(float value);
    void Attr(const char* value);          ///< nullptr: the definition's default
    void Attr(const aclIntArray* values);  ///< nullptr: the definition's default

    /// Phase 1: dtype row, contiguity, tiling, kernel look-up. The executor is the caller's on
    /// success only.
    aclnnStatus GetWorkspaceSize(uint64_t* workspaceSize, aclOpExecutor** executor);

    struct State;

private:
    std::unique_ptr<State> state_;
};

/// Phase 2 of the operator `opType`, which the executor must be of.
TWIN_API aclnnStatus RunExecutor(const char* opType, void* workspace, uint64_t workspaceSize,
                                 aclOpExecutor* executor, aclrtStream stream);

/// Puts the sentence that `aclGetRecentErrMsg` returns next on this thread.
TWIN_API void SetRecentError(const char* format, ...) __attribute__((format(printf, 1, 2)));

}  // namespace twin::host

#endif  // TWIN_HOST_OP_CALL_H
