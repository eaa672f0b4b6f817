// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "aclnn/acl_meta.h"
#include "host/executor.h"

namespace twin::host {

/// Operators of the toolkit that clients call to lay out memory for their own operators. They run
/// on the host and have no kernel, no time and no record.

/// Looks up a tensor argument of a built-in operator. Returns 161001 for null, and 161002 if it is
/// no tensor, if its numbers overflow, or if its elements are smaller than a byte.
int ResolveArgument(const char* opType, const char* label, const aclTensor* handle, bool output,
                    ExecutorTensor* tensor);

/// Returns 161001 unless both pointers are given.
int RequireResults(const char* opType, const uint64_t* workspaceSize,
                   aclOpExecutor* const* executor);

/// Returns an executor for `work`, which needs no workspace. Phase 2 is RunExecutor.
void HandOut(const char* opType, std::vector<ExecutorTensor> inputs,
             std::vector<ExecutorTensor> outputs, HostWork work, uint64_t* workspaceSize,
             aclOpExecutor** executor);

}  // namespace twin::host
