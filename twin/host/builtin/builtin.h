// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "aclnn/acl_meta.h"
#include "host/executor.h"

namespace twin::host {

/// Operators of the toolkit that clients call to lay out memory for their own operators. They run
/// on the host and have no kernel, no time and no record.

/// Looks up a tensor argument of a built-in operator. Refuses null with 161001, and with 161002
/// what is no tensor, or one whose numbers overflow or whose elements are smaller than a byte.
ExecutorTensor ResolveArgument(const char* opType, const char* label, const aclTensor* handle,
                               bool output);

/// Refuses with 161001 unless both pointers are given.
void RequireResults(const char* opType, const uint64_t* workspaceSize,
                    aclOpExecutor* const* executor);

/// Looks up an array argument in the same way.
std::shared_ptr<MetaArray<int64_t>> ResolveArray(const char* opType, const char* label,
                                                 const aclIntArray* handle);

/// Returns an executor for `work`, which needs no workspace. Phase 2 is RunExecutor.
void HandOut(const char* opType, std::vector<ExecutorTensor> inputs,
             std::vector<ExecutorTensor> outputs, HostWork work, uint64_t* workspaceSize,
             aclOpExecutor** executor);

}  // namespace twin::host
