// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HOST_ERROR_H
#define TWIN_HOST_ERROR_H

#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/export.h"

namespace twin::host {

/// aclnn statuses; the public headers leave them to the operators' own headers.
enum AclnnStatus : int {
    kAclnnNullptr = 161001,
    kAclnnInvalid = 161002,
    kAclnnRuntime = 361001,
    kAclnnInner = 561000,
    kAclnnTiling = 561002,
    kAclnnNoKernel = 561003,
    kAclnnInnerNullptr = 561103,
    kAclnnNoPackage = 561107,
    kAclnnJsonUnreadable = 561108,
    kAclnnJsonValue = 561109,
    kAclnnJsonFormat = 561110,
    kAclnnNoKernelPackage = 561112,
};

/// Stores `status` and the sentence for this thread, and returns `status`.
TWIN_API int Fail(int status, const char* format, ...) __attribute__((format(printf, 2, 3)));
TWIN_API int FailText(int status, const std::string& sentence);

/// True if messages of `level` (0 debug, 3 error) also go to stdout: ASCEND_SLOG_PRINT_TO_STDOUT
/// must be 1 and ASCEND_GLOBAL_LOG_LEVEL (default 3) not above the level.
TWIN_API bool LogWanted(int level);
/// Sets the lowest level to print, whatever the environment says; returns false for an unknown
/// level.
TWIN_API bool SetPrintedLevel(int level);

/// Status of the newest failure of this thread.
TWIN_API int LastError();
void ClearLastError();
/// The sentence that aclGetRecentErrMsg returns, or nullptr.
TWIN_API const char* TakeRecentError();

/// The hazard checker's report about the newest failure of this thread, as JSON.
void SetRecentHazards(const std::string& hazards);

/// Runs the body of an acl function and converts exceptions to a status, so that no exception
/// leaves a C function.
template <typename Body>
int Guard(const char* function, Body&& body) noexcept {
    try {
        return std::forward<Body>(body)();
    } catch (const std::bad_alloc&) {
        return Fail(200000, "%s: this machine has no memory left for it", function);
    } catch (const std::invalid_argument& error) {
        return Fail(100000, "%s: %s", function, error.what());
    } catch (const std::exception& error) {
        return Fail(500000, "%s: %s", function, error.what());
    }
}

}  // namespace twin::host

extern "C" {

/// The toolkit does not have this function: callers look it up by name and do without it on a card.
/// It returns what the hazard checker found in the launch that this thread last got the status of;
/// nullptr if the checker found nothing in it.
TWIN_API const char* twinRecentHazards();
}

#endif  // TWIN_HOST_ERROR_H
