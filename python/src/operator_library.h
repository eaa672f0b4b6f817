// SPDX-License-Identifier: Apache-2.0
#ifndef CANNERY_OPERATOR_LIBRARY_H
#define CANNERY_OPERATOR_LIBRARY_H

#include <string>
#include <vector>

namespace cannery {

/// The compiled operators of one project: libcust_opapi.so, and the functions that call it with
/// values that are known at run time only (libcannery_calls.so). Stays loaded.
class OperatorLibrary {
public:
    /// The first libcust_opapi.so in `directories`, searched as Libraries::Open does, and the
    /// library `calls`. The runtime must be open. Throws std::runtime_error that names every place
    /// tried.
    OperatorLibrary(const std::vector<std::string>& directories, const std::string& calls);

    /// Addresses of a function of aclnn and of a calling function; std::runtime_error when the
    /// library lacks it.
    void* Aclnn(const std::string& name) const;
    void* Call(const std::string& name) const;
    /// Path of libcust_opapi.so as it was opened.
    const std::string& Path() const { return path_; }

private:
    void* opApi_ = nullptr;
    std::string path_;
    void* calls_ = nullptr;
    std::string callsPath_;
};

}  // namespace cannery

#endif  // CANNERY_OPERATOR_LIBRARY_H
