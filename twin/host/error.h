// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cinttypes>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/core_output.h"
#include "core/types.h"

#define TWIN_REFUSE_NULL(STATUS, FUNCTION, ARGUMENT)                             \
    do {                                                                         \
        if ((ARGUMENT) == nullptr) {                                             \
            ::twin::host::Refuse(STATUS, "%s: " #ARGUMENT " is null", FUNCTION); \
        }                                                                        \
    } while (false)

extern "C" {

/// Returns the hazard checker's report about the launch whose status this thread got last, or
/// nullptr if there are no findings. The toolkit lacks this function; callers look it up by name.
TWIN_API const char* twinRecentHazards();
}

namespace twin::host {

/// Statuses of aclnn functions. The toolkit defines them only in the headers of single operators.
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

/// Stores `status` and a formatted error sentence for this thread, and returns `status`.
TWIN_API int Fail(int status, const char* format, ...) __attribute__((format(printf, 2, 3)));
TWIN_API int FailText(int status, const std::string& sentence);

/// Exception that Refuse throws; Guard catches it and returns the status.
struct TWIN_API Refused : std::exception {
    explicit Refused(int status) : status(status) {}
    int status;
};
/// Stores an error as Fail does, then throws Refused; Guard catches it and ends the acl function.
[[noreturn]] TWIN_API void Refuse(int status, const char* format, ...)
    __attribute__((format(printf, 2, 3)));
/// Ends the acl function with `status` if it is not 0.
inline void Check(int status) {
    if (status != 0) {
        throw Refused(status);
    }
}

/// Returns true if messages of `level` (0 debug, 3 error) are also printed to stdout. This needs
/// ASCEND_SLOG_PRINT_TO_STDOUT=1 and a level of at least ASCEND_GLOBAL_LOG_LEVEL (default 3).
TWIN_API bool LogWanted(int level);
/// Overrides ASCEND_GLOBAL_LOG_LEVEL for this process; returns false for an unknown level.
TWIN_API bool SetPrintedLevel(int level);

/// Returns the status of this thread's newest failure.
TWIN_API int LastError();
void ClearLastError();
/// Returns this thread's stored error sentence and removes it; returns nullptr if there is none.
TWIN_API const char* TakeRecentError();
/// Does the same as TakeRecentError, but returns "" if there is no sentence.
inline std::string TakeSentence() {
    const char* const sentence = TakeRecentError();
    return sentence == nullptr ? "" : sentence;
}

/// Stores the hazard checker's report (JSON) about this thread's newest failure.
void SetRecentHazards(const std::string& hazards);

/// Runs the body of an acl function and converts exceptions to a status, so that no exception
/// leaves a C function.
template <typename Body>
int Guard(const char* function, Body&& body) noexcept {
    static_assert(std::is_void_v<decltype(body())>, "a body passes a status to Check");
    try {
        std::forward<Body>(body)();
        return 0;
    } catch (const Refused& refused) {
        return refused.status;
    } catch (const std::bad_alloc&) {
        return Fail(200000, "%s: this machine has no memory left for it", function);
    } catch (const std::invalid_argument& error) {
        return Fail(100000, "%s: %s", function, error.what());
    } catch (const std::exception& error) {
        return Fail(500000, "%s: %s", function, error.what());
    }
}

/// Copies `bytes` bytes from the user's address `from`. Refuses the call with `status` if a part of
/// this range is not memory of the process.
inline void ReadFromCaller(int status, const char* function, const char* name, const void* from,
                           uint64_t bytes, void* to) {
    MemoryFault fault;
    const auto copy = [=] { std::memcpy(to, from, bytes); };
    if (bytes != 0 && !Contained(copy, &fault)) {
        Refuse(status, "%s: %s is %p, where %" PRIu64 " bytes were to be read; no memory is at %p",
               function, name, from, bytes, fault.address);
    }
}

/// Copies `count` values from the user's address; refuses an absurd count before allocating memory.
template <typename To, typename From>
void ReadFromCaller(const char* function, const char* name, const From* from, uint64_t count,
                    std::vector<To>* to) {
    static_assert(sizeof(To) == sizeof(From), "copied as bytes");
    constexpr uint64_t kMost = 1 << 24;  // largest count; no operator needs as many values
    if (from == nullptr && count > 0) {
        Refuse(kAclnnNullptr, "%s: %s is null, but its size is %" PRIu64, function, name, count);
    }
    if (count > kMost) {
        Refuse(kAclnnInvalid, "%s: the size of %s is %" PRIu64 "; expected at most %" PRIu64,
               function, name, count, kMost);
    }
    to->resize(count);
    ReadFromCaller(kAclnnInvalid, function, name, from, count * sizeof(To), to->data());
}

}  // namespace twin::host
