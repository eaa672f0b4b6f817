// SPDX-License-Identifier: Apache-2.0
#ifndef CANNERY_OP_RUN_H
#define CANNERY_OP_RUN_H

#include <cstdint>
#include <functional>
#include <string>

#include "acl_api.h"
#include "device.h"
#include "scoped_variable.h"

namespace cannery {

using Phase1 = std::function<aclnnStatus(uint64_t* workspaceSize, aclOpExecutor** executor)>;
using Phase2 = aclnnStatus (*)(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                               aclrtStream stream);

/// Runs one operator: calls `phase1`, allocates the workspace, calls `phase2` and waits until it
/// has ended. `api` is the name of phase 2 for error messages. `settings` apply to both phases.
/// Throws AclFailure with the status of the call that failed.
void RunOperator(const RunScope& scope, const std::string& api, const LaunchSettings& settings,
                 const Phase1& phase1, Phase2 phase2);

}  // namespace cannery

#endif  // CANNERY_OP_RUN_H
