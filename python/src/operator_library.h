// SPDX-License-Identifier: Apache-2.0
#ifndef CANNERY_OPERATOR_LIBRARY_H
#define CANNERY_OPERATOR_LIBRARY_H

#include <string>
#include <vector>

#include "shared_library.h"

namespace cannery {

/// The compiled operators of one project: libcust_opapi.so, and the library whose functions call it
/// with values that are known only at run time (libcannery_calls.so). They stay loaded.
class OperatorLibrary {
public:
    /// Opens every libcust_opapi.so in `directories`, which are as for Libraries::Open, and the
    /// library `calls`. The runtime must be open. Throws BackendFailure that names every place
    /// tried, also for a library that exists and cannot be opened: no later library takes its
    /// place.
    OperatorLibrary(const std::vector<std::string>& directories, const std::string& calls);

    /// Returns the addresses of an aclnn function, from the first library that has it itself, and
    /// of its calling function. Throws BackendFailure if there is none.
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
