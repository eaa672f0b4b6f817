// SPDX-License-Identifier: Apache-2.0
#include "operator_library.h"

#include "shared_library.h"

namespace cannery {

// RTLD_LOCAL: two projects, or the toolkit and a project, may have functions of the same name. What
// they need of acl and aclnn is loaded already, for everybody.
OperatorLibrary::OperatorLibrary(const std::vector<std::string>& directories,
                                 const std::string& calls) {
    const SharedLibrary opApi = OpenFirst(directories, {"libcust_opapi.so"}, RTLD_LOCAL);
    opApi_ = opApi.handle;
    path_ = opApi.path;
    calls_ = OpenFirst({""}, {calls}, RTLD_LOCAL).handle;
    callsPath_ = calls;
}

void* OperatorLibrary::Aclnn(const std::string& name) const {
    return FindSymbol({opApi_, path_}, name.c_str());
}

void* OperatorLibrary::Call(const std::string& name) const {
    return FindSymbol({calls_, callsPath_}, name.c_str());
}

}  // namespace cannery
