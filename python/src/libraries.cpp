// SPDX-License-Identifier: Apache-2.0
#include "libraries.h"

#include <stdexcept>

#include "shared_library.h"

namespace cannery {
namespace {

AclApi Resolve(const SharedLibrary& runtime, const SharedLibrary& meta) {
    AclApi api;
#define CANNERY_LOAD_RUNTIME(name) \
    api.name = reinterpret_cast<decltype(api.name)>(FindSymbol(runtime, #name));
    CANNERY_RUNTIME_SYMBOLS(CANNERY_LOAD_RUNTIME)
#undef CANNERY_LOAD_RUNTIME
#define CANNERY_LOAD_META(name) \
    api.name = reinterpret_cast<decltype(api.name)>(FindSymbol(meta, #name));
    CANNERY_META_SYMBOLS(CANNERY_LOAD_META)
#undef CANNERY_LOAD_META
#define CANNERY_LOAD_OPTIONAL(name) \
    api.name = reinterpret_cast<decltype(api.name)>(dlsym(runtime.handle, #name));
    CANNERY_OPTIONAL_SYMBOLS(CANNERY_LOAD_OPTIONAL)
#undef CANNERY_LOAD_OPTIONAL
    api.setArgumentTypes =
        reinterpret_cast<SetArgumentTypes>(dlsym(runtime.handle, "twinSetArgumentTypes"));
    api.argumentTakenFor =
        reinterpret_cast<ArgumentTakenFor>(dlsym(runtime.handle, "twinArgumentTakenFor"));
    api.recentHazards = reinterpret_cast<RecentHazards>(dlsym(runtime.handle, "twinRecentHazards"));
    api.unknownSettings =
        reinterpret_cast<UnknownSettings>(dlsym(runtime.handle, "twinUnknownSettings"));
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
            throw std::runtime_error("the device libraries are already open from " + runtime_ +
                                     "; the backend cannot change within one process");
        }
        return;
    }
    // With RTLD_GLOBAL, operator libraries find the acl and aclnn functions in these libraries.
    const SharedLibrary runtime =
        OpenFirst(directories, {"libascendcl.so", "libacl_rt.so"}, RTLD_GLOBAL);
    const SharedLibrary meta = OpenFirst(directories, {"libnnopbase.so"}, RTLD_GLOBAL);
    api_ = std::make_unique<const AclApi>(Resolve(runtime, meta));
    directories_ = directories;
    runtime_ = runtime.path;
}

}  // namespace cannery
