// SPDX-License-Identifier: Apache-2.0
#include <cinttypes>
#include <cstring>
#include <memory>

#include "acl/acl.h"
#include "core/core_output.h"
#include "core/gm.h"
#include "host/error.h"
#include "host/runtime.h"

using namespace twin::host;
using twin::GmRange;
using twin::GmRegistry;
using twin::LaunchResult;

namespace {

/// The range [address, +bytes) must lie in one allocation that the device sees.
void CheckDevice(const char* function, const char* name, const void* address, uint64_t bytes,
                 bool written) {
    GmRange range;
    const auto begin = reinterpret_cast<uintptr_t>(address);
    if (!GmRegistry::Instance().Find(begin, &range)) {
        Refuse(ACL_ERROR_RT_PARAM_INVALID,
               "%s: %s 0x%" PRIxPTR
               " is no device memory; pass an address from aclrtMalloc, or another kind",
               function, name, begin);
    }
    if (bytes > range.End() - begin) {
        Refuse(ACL_ERROR_RT_PARAM_INVALID,
               "%s: %" PRIu64 " bytes at byte %" PRIu64 " of %s (%s) pass its end; it has %" PRIu64
               " bytes",
               function, bytes, static_cast<uint64_t>(begin - range.begin), name,
               range.label.c_str(), range.bytes);
    }
    if (written && range.readOnly) {
        Refuse(ACL_ERROR_RT_PARAM_INVALID, "%s: %s (%s) is registered as read-only", function, name,
               range.label.c_str());
    }
}

void CheckHost(const char* function, const char* name, const void* address) {
    if (DeviceMemory::Instance().Contains(address)) {
        Refuse(ACL_ERROR_RT_PARAM_INVALID,
               "%s: %s is device memory, but the kind of the copy says host; the host cannot read "
               "device memory on a card",
               function, name);
    }
}

/// Says which sides of a copy are device memory.
struct Direction {
    bool from = false;
    bool to = false;
};

Direction DirectionOf(const char* function, aclrtMemcpyKind kind, const void* dst,
                      const void* src) {
    switch (kind) {
        case ACL_MEMCPY_HOST_TO_HOST:
            return {false, false};
        case ACL_MEMCPY_HOST_TO_DEVICE:
        case ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE:
            return {false, true};
        case ACL_MEMCPY_DEVICE_TO_HOST:
            return {true, false};
        case ACL_MEMCPY_DEVICE_TO_DEVICE:
        case ACL_MEMCPY_INNER_DEVICE_TO_DEVICE:
            return {true, true};
        case ACL_MEMCPY_DEFAULT:
            return {DeviceMemory::Instance().Contains(src), DeviceMemory::Instance().Contains(dst)};
        default:
            Refuse(ACL_ERROR_INVALID_PARAM,
                   "%s: kind is %d; expected 0 (host to host) to 4 (by address), 5 or 6", function,
                   static_cast<int>(kind));
    }
}

void CheckCopy(const char* function, void* dst, size_t destMax, const void* src, size_t count,
               aclrtMemcpyKind kind) {
    Runtime::Instance().Current(function);
    if (dst == nullptr || src == nullptr) {
        Refuse(ACL_ERROR_INVALID_PARAM, "%s: %s is null", function, dst == nullptr ? "dst" : "src");
    }
    if (count > destMax) {
        Refuse(ACL_ERROR_INVALID_PARAM, "%s: count is %zu bytes, but destMax allows %zu", function,
               count, destMax);
    }
    const Direction direction = DirectionOf(function, kind, dst, src);
    direction.to ? CheckDevice(function, "dst", dst, count, true) : CheckHost(function, "dst", dst);
    direction.from ? CheckDevice(function, "src", src, count, false)
                   : CheckHost(function, "src", src);
}

void CheckSet(const char* function, void* devPtr, size_t maxCount, size_t count) {
    Runtime::Instance().Current(function);
    TWIN_REFUSE_NULL(ACL_ERROR_INVALID_PARAM, function, devPtr);
    if (count > maxCount) {
        Refuse(ACL_ERROR_INVALID_PARAM, "%s: count is %zu bytes, but maxCount allows %zu", function,
               count, maxCount);
    }
    CheckDevice(function, "devPtr", devPtr, count, true);
}

/// Copies or fills. The host memory may no longer exist, or a mapped file may be shorter than the
/// mapping.
template <typename Move>
LaunchResult Run(const char* function, Move&& move) {
    LaunchResult result;
    twin::MemoryFault fault;
    if (!twin::Contained(move, &fault)) {
        result.status = ACL_ERROR_RT_PARAM_INVALID;
        result.message = twin::Describe(fault, function);
    }
    return result;
}

}  // namespace

extern "C" {

aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count,
                     aclrtMemcpyKind kind) {
    return Guard("aclrtMemcpy", [&] {
        CheckCopy("aclrtMemcpy", dst, destMax, src, count, kind);
        ReportResult(Run("aclrtMemcpy", [=] { std::memmove(dst, src, count); }));
    });
}

aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src, size_t count,
                          aclrtMemcpyKind kind, aclrtStream streamHandle) {
    return Guard("aclrtMemcpyAsync", [&] {
        const auto stream = Runtime::Instance().FindStream("aclrtMemcpyAsync", streamHandle);
        CheckCopy("aclrtMemcpyAsync", dst, destMax, src, count, kind);
        stream->Enqueue([=](const CancelFlag&) {
            return Run("aclrtMemcpyAsync", [=] { std::memmove(dst, src, count); });
        });
    });
}

aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count) {
    return Guard("aclrtMemset", [&] {
        CheckSet("aclrtMemset", devPtr, maxCount, count);
        ReportResult(Run("aclrtMemset", [=] { std::memset(devPtr, value, count); }));
    });
}

aclError aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value, size_t count,
                          aclrtStream streamHandle) {
    return Guard("aclrtMemsetAsync", [&] {
        const auto stream = Runtime::Instance().FindStream("aclrtMemsetAsync", streamHandle);
        CheckSet("aclrtMemsetAsync", devPtr, maxCount, count);
        stream->Enqueue([=](const CancelFlag&) {
            return Run("aclrtMemsetAsync", [=] { std::memset(devPtr, value, count); });
        });
    });
}

}  // extern "C"
