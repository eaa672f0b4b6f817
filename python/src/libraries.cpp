// SPDX-License-Identifier: Apache-2.0
#include "libraries.h"

#include <dlfcn.h>

#include <stdexcept>

namespace cannery {
namespace {

struct Opened {
    void* handle;
    std::string path;
};

// RTLD_GLOBAL: the operator library resolves acl and aclnn symbols against what is loaded first, on
// the twin and on a card.
Opened OpenFirst(const std::vector<std::string>& directories,
                 const std::vector<std::string>& names) {
    std::string tried;
    for (const std::string& name : names) {
        for (const std::string& directory : directories) {
            std::string path = directory;
            path.append(directory.empty() ? "" : "/").append(name);
            if (void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL)) {
                return {handle, path};
            }
            const char* reason = dlerror();
            tried.append("\n  ").append(path).append(": ");
            tried += reason == nullptr ? "unknown reason" : reason;
        }
    }
    throw std::runtime_error("cannot open " + names.front() + ", tried:" + tried +
                             "\n  run `cannery doctor` to see what this machine has");
}

void* Symbol(void* handle, const char* name, const std::string& path) {
    void* address = dlsym(handle, name);
    if (address == nullptr) {
        throw std::runtime_error(path + " has no symbol " + name +
                                 ": its version does not fit this cannery");
    }
    return address;
}

AclApi Resolve(const Opened& runtime, const Opened& meta) {
    AclApi api;
#define CANNERY_LOAD_RUNTIME(name) \
    api.name = reinterpret_cast<decltype(api.name)>(Symbol(runtime.handle, #name, runtime.path));
    CANNERY_RUNTIME_SYMBOLS(CANNERY_LOAD_RUNTIME)
#undef CANNERY_LOAD_RUNTIME
#define CANNERY_LOAD_META(name) \
    api.name = reinterpret_cast<decltype(api.name)>(Symbol(meta.handle, #name, meta.path));
    CANNERY_META_SYMBOLS(CANNERY_LOAD_META)
#undef CANNERY_LOAD_META
    api.hostRegisterV2 =
        reinterpret_cast<HostRegisterV2>(dlsym(runtime.handle, "aclrtHostRegisterV2"));
    api.hostGetDevicePointer =
        reinterpret_cast<HostGetDevicePointer>(dlsym(runtime.handle, "aclrtHostGetDevicePointer"));
    api.setArgumentTypes =
        reinterpret_cast<SetArgumentTypes>(dlsym(runtime.handle, "twinSetArgumentTypes"));
    api.argumentTakenFor =
        reinterpret_cast<ArgumentTakenFor>(dlsym(runtime.handle, "twinArgumentTakenFor"));
    return api;
}

}  // namespace

Libraries& Libraries::Instance() {
    static Libraries libraries;
    return libraries;
}

void Libraries::Open(const std::vector<std::string>& directories) {
    if (IsOpen()) {
        if (directories != directories_) {
            throw std::runtime_error("the device libraries are already open from " + opApiPath_ +
                                     "; the backend cannot change within one process");
        }
        return;
    }
    const Opened runtime = OpenFirst(directories, {"libascendcl.so", "libacl_rt.so"});
    const Opened meta = OpenFirst(directories, {"libnnopbase.so"});
    const Opened operators = OpenFirst(directories, {"libcust_opapi.so"});
    api_ = Resolve(runtime, meta);
    directories_ = directories;
    opApi_ = operators.handle;
    opApiPath_ = operators.path;
}

void* Libraries::OperatorSymbol(const char* name) const {
    // Looked up on our handle, not globally: the toolkit's own library has functions of the same
    // name.
    return Symbol(opApi_, name, opApiPath_);
}

}  // namespace cannery
