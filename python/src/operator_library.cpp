// SPDX-License-Identifier: Apache-2.0
#include "operator_library.h"

#include <link.h>
#include <unistd.h>

#include "errors.h"

namespace cannery {
namespace {

constexpr char kName[] = "libcust_opapi.so";

/// Returns a function that the library itself defines. dlsym alone would also find a built-in
/// operator of the same name in a library on which `library` depends.
void* OwnSymbol(const SharedLibrary& library, const char* name) {
    void* address = dlsym(library.handle, name);
    struct link_map* own = nullptr;
    Dl_info info;
    const bool known = address != nullptr && dladdr(address, &info) != 0 &&
                       dlinfo(library.handle, RTLD_DI_LINKMAP, &own) == 0;
    return known && reinterpret_cast<uintptr_t>(info.dli_fbase) == own->l_addr ? address : nullptr;
}

}  // namespace

// Uses RTLD_LOCAL, because two projects, or the toolkit and a project, may have functions of the
// same name. The acl and aclnn libraries that operators need are already open with RTLD_GLOBAL.
OperatorLibrary::OperatorLibrary(const std::vector<std::string>& directories,
                                 const std::string& calls)
    : calls_(OpenFirst({""}, {calls}, RTLD_LOCAL)) {
    for (const std::string& directory : directories) {
        if (!directory.empty() && access((directory + "/" + kName).c_str(), F_OK) == 0) {
            opApis_.push_back(OpenFirst({directory}, {kName}, RTLD_LOCAL));
        }
    }
    if (opApis_.empty()) {
        opApis_.push_back(OpenFirst(directories, {kName}, RTLD_LOCAL));
    }
}

void* OperatorLibrary::Aclnn(const std::string& name) const {
    std::string searched;
    for (const SharedLibrary& library : opApis_) {
        if (void* address = OwnSymbol(library, name.c_str())) {
            return address;
        }
        searched += "\n  " + library.path;
    }
    throw BackendFailure("no operator package has " + name + ", searched:" + searched +
                         "\n  install the package that has it, or rebuild it");
}

void* OperatorLibrary::Call(const std::string& name) const {
    return FindSymbol(calls_, name.c_str());
}

}  // namespace cannery
