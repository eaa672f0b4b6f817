// SPDX-License-Identifier: Apache-2.0
#include <cinttypes>
#include <cstring>
#include <memory>

#include "acl/acl.h"
#include "core/core_output.h"
#include "core/gm.h"
#include "host/error.h"
#include "host/runtime.h"

using twin::GmRange;
using twin::GmRegistry;
using twin::LaunchResult;
using twin::host::CancelFlag;
using twin::host::Context;
using twin::host::DeviceMemory;
using twin::host::Fail;
using twin::host::Guard;
using twin::host::Runtime;
using twin::host::Stream;

namespace {

/// The range [address, +bytes) must lie in one allocation that the device sees.
int CheckDevice(const char* function, const char* name, const void* address, uint64_t bytes,
                bool written) {
    GmRange range;
    const auto begin = reinterpret_cast<uintptr_t>(address);
    if (!GmRegistry::Instance().Find(begin, &range)) {
        return Fail(ACL_ERROR_RT_PARAM_INVALID,
                    "%s: %s 0x%" PRIxPTR
                    " is no device memory; pass an address from aclrtMalloc, or another kind",
                    function, name, begin);
    }
    if (bytes > range.End() - begin) {
        return Fail(ACL_ERROR_RT_PARAM_INVALID,
                    "%s: %" PRIu64 " bytes at byte %" PRIu64
                    " of %s (%s) pass its end; it has %" PRIu64 " bytes",
                    function, bytes, static_cast<uint64_t>(begin - range.begin), name,
                    range.label.c_str(), range.bytes);
    }
    if (written && range.readOnly) {
        return Fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %s (%s) is registered as read-only", function,
                    name, range.label.c_str());
    }
    return ACL_SUCCESS;
}

int CheckHost(const char* function, const char* name, const void* address) {
    if (!DeviceMemory::Instance().Contains(address)) {
        return ACL_SUCCESS;
    }
    return Fail(ACL_ERROR_RT_PARAM_INVALID,
                "%s: %s is device memory, but the kind of the copy says host; the host cannot read "
                "device memory on a card",
                function, name);
}

/// Says which sides of a copy are device memory.
struct Direction {
    bool from = false;
    bool to = false;
};

int DirectionOf(const char* function, aclrtMemcpyKind kind, const void* dst, const void* src,
                Direction* direction) {
    switch (kind) {
        case ACL_MEMCPY_HOST_TO_HOST:
            *direction = {false, false};
            return ACL_SUCCESS;
        case ACL_MEMCPY_HOST_TO_DEVICE:
        case ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE:
            *direction = {false, true};
            return ACL_SUCCESS;
        case ACL_MEMCPY_DEVICE_TO_HOST:
            *direction = {true, false};
            return ACL_SUCCESS;
        case ACL_MEMCPY_DEVICE_TO_DEVICE:
        case ACL_MEMCPY_INNER_DEVICE_TO_DEVICE:
            *direction = {true, true};
            return ACL_SUCCESS;
        case ACL_MEMCPY_DEFAULT:
            *direction = {DeviceMemory::Instance().Contains(src),
                          DeviceMemory::Instance().Contains(dst)};
            return ACL_SUCCESS;
        default:
            break;
    }
    return Fail(ACL_ERROR_INVALID_PARAM,
                "%s: kind is %d; expected 0 (host to host) to 4 (by address), 5 or 6", function,
                static_cast<int>(kind));
}

int CheckCopy(const char* function, void* dst, size_t destMax, const void* src, size_t count,
              aclrtMemcpyKind kind) {
    std::shared_ptr<Context> context;
    TWIN_RETURN_IF_ERROR(Runtime::Instance().Current(function, &context));
    if (dst == nullptr || src == nullptr) {
        return Fail(ACL_ERROR_INVALID_PARAM, "%s: %s is null", function,
                    dst == nullptr ? "dst" : "src");
    }
    if (count > destMax) {
        return Fail(ACL_ERROR_INVALID_PARAM, "%s: count is %zu bytes, but destMax allows %zu",
                    function, count, destMax);
    }
    Direction direction;
    TWIN_RETURN_IF_ERROR(DirectionOf(function, kind, dst, src, &direction));
    TWIN_RETURN_IF_ERROR(direction.to ? CheckDevice(function, "dst", dst, count, true)
                                      : CheckHost(function, "dst", dst));
    return direction.from ? CheckDevice(function, "src", src, count, false)
                          : CheckHost(function, "src", src);
}

int CheckSet(const char* function, void* devPtr, size_t maxCount, size_t count) {
    std::shared_ptr<Context> context;
    TWIN_RETURN_IF_ERROR(Runtime::Instance().Current(function, &context));
    TWIN_RETURN_IF_NULL(ACL_ERROR_INVALID_PARAM, function, devPtr);
    if (count > maxCount) {
        return Fail(ACL_ERROR_INVALID_PARAM, "%s: count is %zu bytes, but maxCount allows %zu",
                    function, count, maxCount);
    }
    return CheckDevice(function, "devPtr", devPtr, count, true);
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

int Report(const LaunchResult& result) {
    return result.status == twin::kLaunchOk ? ACL_SUCCESS
                                            : twin::host::FailText(result.status, result.message);
}

}  // namespace

extern "C" {

aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count,
                     aclrtMemcpyKind kind) {
    return Guard("aclrtMemcpy", [&]() -> int {
        TWIN_RETURN_IF_ERROR(CheckCopy("aclrtMemcpy", dst, destMax, src, count, kind));
        return Report(Run("aclrtMemcpy", [=] { std::memmove(dst, src, count); }));
    });
}

aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src, size_t count,
                          aclrtMemcpyKind kind, aclrtStream streamHandle) {
    return Guard("aclrtMemcpyAsync", [&]() -> int {
        std::shared_ptr<Stream> stream;
        TWIN_RETURN_IF_ERROR(
            Runtime::Instance().FindStream("aclrtMemcpyAsync", streamHandle, &stream));
        TWIN_RETURN_IF_ERROR(CheckCopy("aclrtMemcpyAsync", dst, destMax, src, count, kind));
        stream->Enqueue([=](const CancelFlag&) {
            return Run("aclrtMemcpyAsync", [=] { std::memmove(dst, src, count); });
        });
        return ACL_SUCCESS;
    });
}

aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count) {
    return Guard("aclrtMemset", [&]() -> int {
        TWIN_RETURN_IF_ERROR(CheckSet("aclrtMemset", devPtr, maxCount, count));
        return Report(Run("aclrtMemset", [=] { std::memset(devPtr, value, count); }));
    });
}

aclError aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value, size_t count,
                          aclrtStream streamHandle) {
    return Guard("aclrtMemsetAsync", [&]() -> int {
        std::shared_ptr<Stream> stream;
        TWIN_RETURN_IF_ERROR(
            Runtime::Instance().FindStream("aclrtMemsetAsync", streamHandle, &stream));
        TWIN_RETURN_IF_ERROR(CheckSet("aclrtMemsetAsync", devPtr, maxCount, count));
        stream->Enqueue([=](const CancelFlag&) {
            return Run("aclrtMemsetAsync", [=] { std::memset(devPtr, value, count); });
        });
        return ACL_SUCCESS;
    });
}

}  // extern "C"
