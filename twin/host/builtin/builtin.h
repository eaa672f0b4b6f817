// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HOST_BUILTIN_BUILTIN_H
#define TWIN_HOST_BUILTIN_BUILTIN_H

#include "aclnn/acl_meta.h"
#include "host/executor.h"

namespace twin::host {

/// Operators of the toolkit that clients call beside their own, to lay out memory. They run on the
/// host and have no kernel, no time and no record.

/// A tensor argument of one: 161001 for null, 161002 for no tensor, or numbers that cannot be
/// computed with, or elements of less than a byte.
int ResolveArgument(const char* opType, const char* label, const aclTensor* handle, bool output,
                    ExecutorTensor* tensor);

/// 161001 unless both are given.
int RequireResults(const char* opType, const uint64_t* workspaceSize,
                   aclOpExecutor* const* executor);

/// Hands out an executor for `work`, which needs no workspace. Phase 2 is RunExecutor.
void HandOut(const char* opType, std::vector<ExecutorTensor> inputs,
             std::vector<ExecutorTensor> outputs, HostWork work, uint64_t* workspaceSize,
             aclOpExecutor** executor);

}  // namespace twin::host

#endif  // TWIN_HOST_BUILTIN_BUILTIN_H
