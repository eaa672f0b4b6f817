// SPDX-License-Identifier: Apache-2.0
#ifndef CANNERY_ERRORS_H
#define CANNERY_ERRORS_H

#include <pybind11/pybind11.h>

#include <stdexcept>
#include <string>

namespace cannery {

/// Exception for an acl or aclnn call that returned a status other than 0. Python gets the class of
/// `cannery.errors` that fits the status.
class AclFailure : public std::runtime_error {
public:
    AclFailure(int status, std::string api, const std::string& text, std::string hazards = "")
        : std::runtime_error(text),
          status_(status),
          api_(std::move(api)),
          hazards_(std::move(hazards)) {}

    int Status() const { return status_; }
    const std::string& Api() const { return api_; }
    /// Returns the hazard checker's findings as JSON; empty if no hazard caused the failure.
    const std::string& Hazards() const { return hazards_; }

private:
    int status_;
    std::string api_;
    std::string hazards_;
};

/// Exception for a backend that cannot be used here. Python gets `cannery.errors.BackendError`.
class BackendFailure : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Throws AclFailure with the runtime's error text if `status` is not 0; `api` names the call.
void Check(int status, const char* api);

/// Returns and clears the text of this thread's last failure; "" if there is none. Call it on the
/// thread that got the status.
std::string RecentErrorText();
/// Returns the hazard checker's findings in the launch whose status this thread got last.
std::string RecentHazardText();

void RegisterErrors(pybind11::module_& module);

}  // namespace cannery

#endif  // CANNERY_ERRORS_H
