// SPDX-License-Identifier: Apache-2.0
#ifndef CANNERY_LIBRARIES_H
#define CANNERY_LIBRARIES_H

#include <string>
#include <vector>

#include "acl_api.h"

namespace cannery {

/// The acl runtime and the aclnn meta library, opened once per process.
class Libraries {
public:
    static Libraries& Instance();

    /// Searches `directories` in order for each library; an empty string means the loader's own
    /// search path. Throws BackendFailure that names every place tried. A second call with the same
    /// list does nothing, with another list it throws: two runtimes in one process would answer for
    /// each other.
    void Open(const std::vector<std::string>& directories);

    bool IsOpen() const { return !runtime_.empty(); }
    const AclApi& Api() const { return api_; }
    /// Of the runtime library as it was opened; empty before.
    const std::string& Path() const { return runtime_; }

private:
    AclApi api_;
    std::vector<std::string> directories_;
    std::string runtime_;  ///< path of the runtime library as it was opened
};

inline const AclApi& Api() { return Libraries::Instance().Api(); }

}  // namespace cannery

#endif  // CANNERY_LIBRARIES_H
