// SPDX-License-Identifier: Apache-2.0
#ifndef CANNERY_OPERATOR_LIBRARY_H
#define CANNERY_OPERATOR_LIBRARY_H

#include <string>
#include <vector>

#include "shared_library.h"

namespace cannery {

/// The compiled operators of one project: libcust_opapi.so, and the functions that call it with
/// values that are known at run time only (libcannery_calls.so). Stays loaded.
class OperatorLibrary {
public:
    /// Every libcust_opapi.so in `directories`, which are as for Libraries::Open, and the library
    /// `calls`. The runtime must be open. Throws BackendFailure that names every place tried, and
    /// for a library that is there and cannot be opened: nothing behind it is taken in its place.
    OperatorLibrary(const std::vector<std::string>& directories, const std::string& calls);

    /// Addresses of a function of aclnn, of the first library that has it itself, and of a calling
    /// function; BackendFailure when there is none.
    void* Aclnn(const std::string& name) const;
    void* Call(const std::string& name) const;
    /// Path of the first libcust_opapi.so as it was opened.
    const std::string& Path() const { return opApis_.front().path; }

private:
    std::vector<SharedLibrary> opApis_;  ///< never empty
    SharedLibrary calls_;
};

}  // namespace cannery

#endif  // CANNERY_OPERATOR_LIBRARY_H
