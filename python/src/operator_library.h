// SPDX-License-Identifier: Apache-2.0
#ifndef CANNERY_OPERATOR_LIBRARY_H
#define CANNERY_OPERATOR_LIBRARY_H

#include <string>
#include <vector>

#include "shared_library.h"

namespace cannery {

/// The compiled operators of one project (libcust_opapi.so), and libcannery_calls.so, which calls
/// operators with values that are known only at run time. Both libraries stay loaded.
class OperatorLibrary {
public:
    /// Opens the library `calls`, and libcust_opapi.so in each of `directories` that has it. If
    /// none has it and `directories` contains "", uses the loader's search path. The runtime must
    /// be open. If a library is missing or cannot be opened, throws BackendFailure with all paths.
    OperatorLibrary(const std::vector<std::string>& directories, const std::string& calls);

    /// Aclnn returns a function of the first libcust_opapi.so that defines it. Call returns a
    /// function of the library `calls`. Both throw BackendFailure if the function is missing.
    void* Aclnn(const std::string& name) const;
    void* Call(const std::string& name) const;
    /// Returns the path of the first open libcust_opapi.so.
    const std::string& Path() const { return opApis_.front().path; }

private:
    std::vector<SharedLibrary> opApis_;  ///< never empty
    SharedLibrary calls_;
};

}  // namespace cannery

#endif  // CANNERY_OPERATOR_LIBRARY_H
