// SPDX-License-Identifier: Apache-2.0
#ifndef CANNERY_SHARED_LIBRARY_H
#define CANNERY_SHARED_LIBRARY_H

#include <dlfcn.h>

#include <string>
#include <vector>

namespace cannery {

struct SharedLibrary {
    void* handle;
    std::string path;
};

/// Opens the first of `names` that is in one of `directories`; the directory "" means the
/// loader's own search path. `scope` is RTLD_GLOBAL or RTLD_LOCAL. Throws BackendFailure that names
/// all paths that were tried.
SharedLibrary OpenFirst(const std::vector<std::string>& directories,
                        const std::vector<std::string>& names, int scope);

/// Returns the address of a symbol. Throws BackendFailure if the library does not have the symbol.
void* FindSymbol(const SharedLibrary& library, const char* name);

}  // namespace cannery

#endif  // CANNERY_SHARED_LIBRARY_H
