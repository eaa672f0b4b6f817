// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HOST_CALLER_MEMORY_H
#define TWIN_HOST_CALLER_MEMORY_H

#include <cinttypes>
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/contain.h"
#include "host/error.h"

namespace twin::host {

/// Copies the bytes that a caller has at `from`. Returns 0, or `status` with a sentence if there is
/// no memory.
inline int ReadFromCaller(int status, const char* function, const char* name, const void* from,
                          uint64_t bytes, void* to) {
    MemoryFault fault;
    const auto copy = [=] { std::memcpy(to, from, bytes); };
    if (bytes == 0 || Contained(copy, &fault)) {
        return 0;
    }
    return Fail(status, "%s: %s is %p, where %" PRIu64 " bytes were to be read; no memory is at %p",
                function, name, from, bytes, fault.address);
}

/// Does the same for `count` values; an absurd count is refused before memory is allocated.
template <typename To, typename From>
int ReadFromCaller(const char* function, const char* name, const From* from, uint64_t count,
                   std::vector<To>* to) {
    static_assert(sizeof(To) == sizeof(From), "copied as bytes");
    constexpr uint64_t kMost = 1 << 24;  // far more than any operator has
    if (from == nullptr && count > 0) {
        return Fail(kAclnnNullptr, "%s: %s is null, but its size is %" PRIu64, function, name,
                    count);
    }
    if (count > kMost) {
        return Fail(kAclnnInvalid, "%s: the size of %s is %" PRIu64 "; expected at most %" PRIu64,
                    function, name, count, kMost);
    }
    to->resize(count);
    return ReadFromCaller(kAclnnInvalid, function, name, from, count * sizeof(To), to->data());
}

}  // namespace twin::host

#endif  // TWIN_HOST_CALLER_MEMORY_H
