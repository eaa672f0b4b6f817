// SPDX-License-Identifier: Apache-2.0
#include "op_run.h"

#include "device_buffer.h"
#include "errors.h"
#include "libraries.h"

namespace cannery {

void RunOperator(const RunScope& scope, const std::string& api, const LaunchSettings& settings,
                 const Phase1& phase1, Phase2 phase2) {
    // Both phases hold the GIL: they read the environment, which another Python thread could
    // change.
    std::list<ScopedVariable> set = Set(settings);
    uint64_t workspaceBytes = 0;
    aclOpExecutor* executor = nullptr;
    Check(phase1(&workspaceBytes, &executor), (api + "GetWorkspaceSize").c_str());
    DeviceBuffer workspace;
    try {
        workspace.Allocate(workspaceBytes);
    } catch (...) {
        Libraries::Instance().Api().aclDestroyAclOpExecutor(executor);
        throw;
    }
    const aclnnStatus status =
        phase2(workspace.Address(), workspaceBytes, executor, Device::Instance().Stream());
    set.clear();  // before Finish, which releases the GIL
    scope.Finish(status, api.c_str());
}

}  // namespace cannery
