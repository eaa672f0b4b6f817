// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cinttypes>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <unordered_set>

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

int Allocate(const char* function, void** devPtr, size_t size, aclrtMemMallocPolicy policy,
             uint64_t spare) {
    constexpr uint32_t kPolicies = 8;
    constexpr uint32_t kModifiers = ACL_MEM_TYPE_LOW_BAND_WIDTH | ACL_MEM_TYPE_HIGH_BAND_WIDTH |
                                    ACL_MEM_ACCESS_USER_SPACE_READONLY;
    return Guard(function, [&] {
        Runtime::Instance().Current(function);
        TWIN_REFUSE_NULL(ACL_ERROR_INVALID_PARAM, function, devPtr);
        if (size == 0) {
            Refuse(ACL_ERROR_INVALID_PARAM, "%s: size is 0; ask for at least 1 byte", function);
        }
        if ((static_cast<uint32_t>(policy) & ~kModifiers) >= kPolicies) {
            Refuse(ACL_ERROR_INVALID_PARAM,
                   "%s: policy is 0x%x; expected one of aclrtMemMallocPolicy, for example "
                   "ACL_MEM_MALLOC_HUGE_FIRST",
                   function, static_cast<unsigned>(policy));
        }
        *devPtr = DeviceMemory::Instance().Allocate(function, size, spare);
    });
}

/// Addresses from aclrtMallocHost, to distinguish them from other pointers. The set is never
/// destroyed, because threads may use it while the process exits.
struct HostBlocks {
    std::mutex mutex;
    std::unordered_set<void*> blocks;
};

HostBlocks& Blocks() {
    static HostBlocks* const blocks = new HostBlocks;
    return *blocks;
}

void CheckHostRange(const char* function, const void* ptr, uint64_t size) {
    Runtime::Instance().RequireReady(function);
    TWIN_REFUSE_NULL(ACL_ERROR_INVALID_PARAM, function, ptr);
    if (size == 0) {
        Refuse(ACL_ERROR_INVALID_PARAM, "%s: size is 0; register at least 1 byte", function);
    }
}

/// Refuses a range that is not inside one allocation. If `written`, refuses read-only memory, too.
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

/// Tells whether the source (`from`) and the destination (`to`) of a copy are device memory.
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

/// Runs a copy or a fill, and reports an access to memory that does not exist. Host memory may have
/// been freed, and a mapped file may be shorter than its mapping.
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

aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {
    constexpr uint64_t kSpare = 32;
    return Allocate("aclrtMalloc", devPtr, size, policy, kSpare);
}

aclError aclrtMallocAlign32(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {
    return Allocate("aclrtMallocAlign32", devPtr, size, policy, 0);
}

aclError aclrtFree(void* devPtr) {
    return Guard("aclrtFree", [&] {
        Runtime::Instance().Current("aclrtFree");
        TWIN_REFUSE_NULL(ACL_ERROR_INVALID_PARAM, "aclrtFree", devPtr);
        Runtime::Instance().WaitAll();
        DeviceMemory::Instance().Free("aclrtFree", devPtr);
    });
}

aclError aclrtMallocHost(void** hostPtr, size_t size) {
    return Guard("aclrtMallocHost", [&] {
        constexpr size_t kPage = 4096;
        Runtime::Instance().RequireReady("aclrtMallocHost");
        TWIN_REFUSE_NULL(ACL_ERROR_INVALID_PARAM, "aclrtMallocHost", hostPtr);
        if (size == 0) {
            Refuse(ACL_ERROR_INVALID_PARAM, "aclrtMallocHost: size is 0; ask for at least 1 byte");
        }
        void* memory = nullptr;
        if (posix_memalign(&memory, kPage, size) != 0) {
            Refuse(ACL_ERROR_RT_MEMORY_ALLOCATION,
                   "aclrtMallocHost: size is %zu bytes, for which this machine has no memory left",
                   size);
        }
        std::lock_guard<std::mutex> lock(Blocks().mutex);
        Blocks().blocks.insert(memory);
        *hostPtr = memory;
    });
}

aclError aclrtFreeHost(void* hostPtr) {
    return Guard("aclrtFreeHost", [&] {
        Runtime::Instance().RequireReady("aclrtFreeHost");
        TWIN_REFUSE_NULL(ACL_ERROR_INVALID_PARAM, "aclrtFreeHost", hostPtr);
        Runtime::Instance().WaitAll();
        std::lock_guard<std::mutex> lock(Blocks().mutex);
        if (Blocks().blocks.erase(hostPtr) == 0) {
            Refuse(ACL_ERROR_RT_PARAM_INVALID,
                   "aclrtFreeHost: hostPtr is no address that aclrtMallocHost returned, or "
                   "was freed already");
        }
        std::free(hostPtr);
    });
}

aclError aclrtHostRegister(void* ptr, uint64_t size, aclrtHostRegisterType type, void** devPtr) {
    return Guard("aclrtHostRegister", [&] {
        CheckHostRange("aclrtHostRegister", ptr, size);
        TWIN_REFUSE_NULL(ACL_ERROR_INVALID_PARAM, "aclrtHostRegister", devPtr);
        if (type != ACL_HOST_REGISTER_MAPPED) {
            Refuse(ACL_ERROR_INVALID_PARAM,
                   "aclrtHostRegister: type is %d; expected ACL_HOST_REGISTER_MAPPED (0)",
                   static_cast<int>(type));
        }
        HostMappings::Instance().Add("aclrtHostRegister", ptr, size, true, false);
        *devPtr = ptr;
    });
}

aclError aclrtHostRegisterV2(void* ptr, uint64_t size, uint32_t flag) {
    return Guard("aclrtHostRegisterV2", [&] {
        constexpr uint32_t kKnown =
            ACL_HOST_REG_MAPPED | ACL_HOST_REG_READONLY | ACL_HOST_REG_PINNED;
        CheckHostRange("aclrtHostRegisterV2", ptr, size);
        if (flag == 0 || (flag & ~kKnown) != 0) {
            Refuse(ACL_ERROR_INVALID_PARAM,
                   "aclrtHostRegisterV2: flag is 0x%" PRIx32
                   "; expected a combination of ACL_HOST_REG_MAPPED (0x2), "
                   "ACL_HOST_REG_READONLY (0x8) and ACL_HOST_REG_PINNED (0x10000000)",
                   flag);
        }
        const bool readOnly = (flag & ACL_HOST_REG_READONLY) != 0;
        const bool mapped = readOnly || (flag & ACL_HOST_REG_MAPPED) != 0;
        HostMappings::Instance().Add("aclrtHostRegisterV2", ptr, size, mapped, readOnly);
    });
}

aclError aclrtHostGetDevicePointer(void* pHost, void** pDevice, uint32_t flag) {
    return Guard("aclrtHostGetDevicePointer", [&] {
        Runtime::Instance().RequireReady("aclrtHostGetDevicePointer");
        if (pHost == nullptr || pDevice == nullptr) {
            Refuse(ACL_ERROR_INVALID_PARAM, "aclrtHostGetDevicePointer: %s is null",
                   pHost == nullptr ? "pHost" : "pDevice");
        }
        if (flag != 0) {
            Refuse(ACL_ERROR_INVALID_PARAM,
                   "aclrtHostGetDevicePointer: flag is %" PRIu32 "; expected 0", flag);
        }
        *pDevice = HostMappings::Instance().DevicePointer(pHost);
    });
}

aclError aclrtHostUnregister(void* ptr) {
    return Guard("aclrtHostUnregister", [&] {
        Runtime::Instance().RequireReady("aclrtHostUnregister");
        TWIN_REFUSE_NULL(ACL_ERROR_INVALID_PARAM, "aclrtHostUnregister", ptr);
        Runtime::Instance().WaitAll();
        HostMappings::Instance().Remove(ptr);
    });
}

aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t* free, size_t* total) {
    return Guard("aclrtGetMemInfo", [&] {
        if (free == nullptr || total == nullptr) {
            Refuse(ACL_ERROR_INVALID_PARAM, "aclrtGetMemInfo: %s is null",
                   free == nullptr ? "free" : "total");
        }
        Runtime::Instance().Current("aclrtGetMemInfo");
        switch (attr) {
            case ACL_HBM_MEM:
            case ACL_HBM_MEM_HUGE:
            case ACL_HBM_MEM_NORMAL:
            case ACL_HBM_MEM_P2P_HUGE:
            case ACL_HBM_MEM_P2P_NORMAL:
                *total = CurrentSoc().hbmBytes;
                *free = *total - std::min<uint64_t>(DeviceMemory::Instance().Used(), *total);
                return;
            default:
                Refuse(ACL_ERROR_INVALID_PARAM,
                       "aclrtGetMemInfo: attr is %d; A2 and A3 have HBM, so pass ACL_HBM_MEM (1) "
                       "or one of its parts",
                       static_cast<int>(attr));
        }
    });
}

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
