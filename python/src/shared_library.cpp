// SPDX-License-Identifier: Apache-2.0
#include "shared_library.h"

#include <stdexcept>

namespace cannery {

SharedLibrary OpenFirst(const std::vector<std::string>& directories,
                        const std::vector<std::string>& names, int scope) {
    std::string tried;
    for (const std::string& name : names) {
        for (const std::string& directory : directories) {
            std::string path = directory;
            path.append(directory.empty() ? "" : "/").append(name);
            if (void* handle = dlopen(path.c_str(), RTLD_NOW | scope)) {
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

void* FindSymbol(const SharedLibrary& library, const char* name) {
    void* address = dlsym(library.handle, name);
    if (address == nullptr) {
        throw std::runtime_error(library.path + " has no symbol " + name +
                                 ": its version does not fit this cannery");
    }
    return address;
}

}  // namespace cannery
