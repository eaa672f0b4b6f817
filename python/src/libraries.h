// SPDX-License-Identifier: Apache-2.0
#ifndef CANNERY_LIBRARIES_H
#define CANNERY_LIBRARIES_H

#include <memory>
#include <string>
#include <vector>

#include "acl_api.h"

namespace cannery {

/// The acl runtime and the aclnn meta library; a process opens them once.
class Libraries {
public:
    static Libraries& Instance();

    /// Opens each library from the first of `directories` that has it; an empty string means the
    /// loader's own search path. Throws BackendFailure that names all paths that were tried. A
    /// second call with the same list does nothing. Another list throws, because a process can use
    /// only one runtime.
    void Open(const std::vector<std::string>& directories);

    bool IsOpen() const { return !runtime_.empty(); }
    /// Returns the functions of the libraries, which must be open.
    const AclApi& Api() const { return *api_; }
    /// Returns the path of the open runtime library, or "" before it is open.
    const std::string& Path() const { return runtime_; }

private:
    std::unique_ptr<const AclApi> api_;
    std::vector<std::string> directories_;
    std::string runtime_;
};

inline const AclApi& Api() { return Libraries::Instance().Api(); }

}  // namespace cannery

#endif  // CANNERY_LIBRARIES_H
