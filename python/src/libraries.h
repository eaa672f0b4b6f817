// SPDX-License-Identifier: Apache-2.0
#ifndef CANNERY_LIBRARIES_H
#define CANNERY_LIBRARIES_H

#include <string>
#include <vector>

#include "acl_api.h"

namespace cannery {

/// The acl runtime, the aclnn meta library and the operator library, opened once per process.
class Libraries {
public:
    static Libraries& Instance();

    /// Searches `directories` in order for each library; an empty string means the loader's own
    /// search path. Throws std::runtime_error that names every place tried. A second call with the
    /// same list does nothing, with another list it throws: two runtimes in one process would
    /// answer for each other.
    void Open(const std::vector<std::string>& directories);

    bool IsOpen() const { return opApi_ != nullptr; }
    const AclApi& Api() const { return api_; }
    /// Address of an operator's phase function; throws std::runtime_error when the operator library
    /// lacks it.
    void* OperatorSymbol(const char* name) const;
    /// Path of the operator library as it was opened.
    const std::string& OperatorLibrary() const { return opApiPath_; }

private:
    AclApi api_;
    std::vector<std::string> directories_;
    void* opApi_ = nullptr;
    std::string opApiPath_;
};

/// Typed pointer to one phase function of an operator.
template <typename Function>
Function OperatorFunction(const char* name) {
    return reinterpret_cast<Function>(Libraries::Instance().OperatorSymbol(name));
}

}  // namespace cannery

#endif  // CANNERY_LIBRARIES_H
