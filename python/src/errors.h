// SPDX-License-Identifier: Apache-2.0
#ifndef CANNERY_ERRORS_H
#define CANNERY_ERRORS_H

#include <pybind11/pybind11.h>

#include <stdexcept>
#include <string>

namespace cannery {

/// An acl or aclnn call has returned a status other than 0; becomes the matching class of
/// `cannery.errors`.
class AclFailure : public std::runtime_error {
public:
    AclFailure(int status, std::string api, const std::string& text, std::string hazards = "")
        : std::runtime_error(text),
          status_(status),
          api_(std::move(api)),
          hazards_(std::move(hazards)) {}

    int Status() const { return status_; }
    const std::string& Api() const { return api_; }
    /// The findings of the twin's hazard checker as JSON; empty if it has no part in the failure.
    const std::string& Hazards() const { return hazards_; }

private:
    int status_;
    std::string api_;
    std::string hazards_;
};

/// The backend cannot be used on this machine; becomes `cannery.errors.BackendError`.
class BackendFailure : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Throws AclFailure with the runtime's own sentence unless `status` is 0.
void Check(int status, const char* api);

/// Returns the sentence of this thread's last failure, or "" if there is none. Call it on the
/// thread that got the status.
std::string RecentErrorText();
/// Returns this for the twin's hazard checker.
std::string RecentHazardText();

void RegisterErrors(pybind11::module_& module);

}  // namespace cannery

#endif  // CANNERY_ERRORS_H
