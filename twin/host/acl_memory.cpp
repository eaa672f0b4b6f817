// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cinttypes>
#include <cstdlib>
#include <mutex>
#include <unordered_set>

#include "acl/acl.h"
#include "host/error.h"
#include "host/runtime.h"

using twin::host::Context;
using twin::host::DeviceMemory;
using twin::host::Fail;
using twin::host::Guard;
using twin::host::HostMappings;
using twin::host::Runtime;

namespace {

int Allocate(const char* function, void** devPtr, size_t size, aclrtMemMallocPolicy policy,
             uint64_t spare) {
    constexpr uint32_t kPolicies = 8;
    constexpr uint32_t kModifiers = ACL_MEM_TYPE_LOW_BAND_WIDTH | ACL_MEM_TYPE_HIGH_BAND_WIDTH |
                                    ACL_MEM_ACCESS_USER_SPACE_READONLY;
    std::shared_ptr<Context> context;
    TWIN_RETURN_IF_ERROR(Runtime::Instance().Current(function, &context));
    TWIN_RETURN_IF_NULL(ACL_ERROR_INVALID_PARAM, function, devPtr);
    if (size == 0) {
        return Fail(ACL_ERROR_INVALID_PARAM, "%s: size is 0; ask for at least 1 byte", function);
    }
    if ((static_cast<uint32_t>(policy) & ~kModifiers) >= kPolicies) {
        return Fail(ACL_ERROR_INVALID_PARAM,
                    "%s: policy is 0x%x; expected one of aclrtMemMallocPolicy, for example "
                    "ACL_MEM_MALLOC_HUGE_FIRST",
                    function, static_cast<unsigned>(policy));
    }
    return DeviceMemory::Instance().Allocate(function, size, spare, devPtr);
}

/// Memory of aclrtMallocHost, so that it can be distinguished from other pointers. It is leaked on
/// purpose, see Runtime.
struct HostBlocks {
    std::mutex mutex;
    std::unordered_set<void*> blocks;
};

HostBlocks& Blocks() {
    static HostBlocks* const blocks = new HostBlocks;
    return *blocks;
}

int CheckHostRange(const char* function, const void* ptr, uint64_t size) {
    TWIN_RETURN_IF_ERROR(Runtime::Instance().RequireReady(function));
    TWIN_RETURN_IF_NULL(ACL_ERROR_INVALID_PARAM, function, ptr);
    if (size == 0) {
        return Fail(ACL_ERROR_INVALID_PARAM, "%s: size is 0; register at least 1 byte", function);
    }
    return ACL_SUCCESS;
}

}  // namespace

extern "C" {

aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {
    constexpr uint64_t kSpare = 32;
    return Guard("aclrtMalloc",
                 [&] { return Allocate("aclrtMalloc", devPtr, size, policy, kSpare); });
}

aclError aclrtMallocAlign32(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {
    return Guard("aclrtMallocAlign32",
                 [&] { return Allocate("aclrtMallocAlign32", devPtr, size, policy, 0); });
}

aclError aclrtFree(void* devPtr) {
    return Guard("aclrtFree", [&]() -> int {
        std::shared_ptr<Context> context;
        TWIN_RETURN_IF_ERROR(Runtime::Instance().Current("aclrtFree", &context));
        TWIN_RETURN_IF_NULL(ACL_ERROR_INVALID_PARAM, "aclrtFree", devPtr);
        Runtime::Instance().WaitAll();
        return DeviceMemory::Instance().Free("aclrtFree", devPtr);
    });
}

aclError aclrtMallocHost(void** hostPtr, size_t size) {
    return Guard("aclrtMallocHost", [&]() -> int {
        constexpr size_t kPage = 4096;
        TWIN_RETURN_IF_ERROR(Runtime::Instance().RequireReady("aclrtMallocHost"));
        TWIN_RETURN_IF_NULL(ACL_ERROR_INVALID_PARAM, "aclrtMallocHost", hostPtr);
        if (size == 0) {
            return Fail(ACL_ERROR_INVALID_PARAM,
                        "aclrtMallocHost: size is 0; ask for at least 1 byte");
        }
        void* memory = nullptr;
        if (posix_memalign(&memory, kPage, size) != 0) {
            return Fail(
                ACL_ERROR_RT_MEMORY_ALLOCATION,
                "aclrtMallocHost: size is %zu bytes, for which this machine has no memory left",
                size);
        }
        std::lock_guard<std::mutex> lock(Blocks().mutex);
        Blocks().blocks.insert(memory);
        *hostPtr = memory;
        return ACL_SUCCESS;
    });
}

aclError aclrtFreeHost(void* hostPtr) {
    return Guard("aclrtFreeHost", [&]() -> int {
        TWIN_RETURN_IF_ERROR(Runtime::Instance().RequireReady("aclrtFreeHost"));
        TWIN_RETURN_IF_NULL(ACL_ERROR_INVALID_PARAM, "aclrtFreeHost", hostPtr);
        Runtime::Instance().WaitAll();
        std::lock_guard<std::mutex> lock(Blocks().mutex);
        if (Blocks().blocks.erase(hostPtr) == 0) {
            return Fail(ACL_ERROR_RT_PARAM_INVALID,
                        "aclrtFreeHost: hostPtr is no address that aclrtMallocHost returned, or "
                        "was freed already");
        }
        std::free(hostPtr);
        return ACL_SUCCESS;
    });
}

aclError aclrtHostRegister(void* ptr, uint64_t size, aclrtHostRegisterType type, void** devPtr) {
    return Guard("aclrtHostRegister", [&]() -> int {
        TWIN_RETURN_IF_ERROR(CheckHostRange("aclrtHostRegister", ptr, size));
        TWIN_RETURN_IF_NULL(ACL_ERROR_INVALID_PARAM, "aclrtHostRegister", devPtr);
        if (type != ACL_HOST_REGISTER_MAPPED) {
            return Fail(ACL_ERROR_INVALID_PARAM,
                        "aclrtHostRegister: type is %d; expected ACL_HOST_REGISTER_MAPPED (0)",
                        static_cast<int>(type));
        }
        TWIN_RETURN_IF_ERROR(
            HostMappings::Instance().Add("aclrtHostRegister", ptr, size, true, false));
        *devPtr = ptr;
        return ACL_SUCCESS;
    });
}

aclError aclrtHostRegisterV2(void* ptr, uint64_t size, uint32_t flag) {
    return Guard("aclrtHostRegisterV2", [&]() -> int {
        constexpr uint32_t kKnown =
            ACL_HOST_REG_MAPPED | ACL_HOST_REG_READONLY | ACL_HOST_REG_PINNED;
        TWIN_RETURN_IF_ERROR(CheckHostRange("aclrtHostRegisterV2", ptr, size));
        if (flag == 0 || (flag & ~kKnown) != 0) {
            return Fail(ACL_ERROR_INVALID_PARAM,
                        "aclrtHostRegisterV2: flag is 0x%" PRIx32
                        "; expected a combination of ACL_HOST_REG_MAPPED (0x2), "
                        "ACL_HOST_REG_READONLY (0x8) and ACL_HOST_REG_PINNED (0x10000000)",
                        flag);
        }
        const bool readOnly = (flag & ACL_HOST_REG_READONLY) != 0;
        const bool mapped = readOnly || (flag & ACL_HOST_REG_MAPPED) != 0;
        return HostMappings::Instance().Add("aclrtHostRegisterV2", ptr, size, mapped, readOnly);
    });
}

aclError aclrtHostGetDevicePointer(void* pHost, void** pDevice, uint32_t flag) {
    return Guard("aclrtHostGetDevicePointer", [&]() -> int {
        TWIN_RETURN_IF_ERROR(Runtime::Instance().RequireReady("aclrtHostGetDevicePointer"));
        if (pHost == nullptr || pDevice == nullptr) {
            return Fail(ACL_ERROR_INVALID_PARAM, "aclrtHostGetDevicePointer: %s is null",
                        pHost == nullptr ? "pHost" : "pDevice");
        }
        if (flag != 0) {
            return Fail(ACL_ERROR_INVALID_PARAM,
                        "aclrtHostGetDevicePointer: flag is %" PRIu32 "; expected 0", flag);
        }
        return HostMappings::Instance().DevicePointer(pHost, pDevice);
    });
}

aclError aclrtHostUnregister(void* ptr) {
    return Guard("aclrtHostUnregister", [&]() -> int {
        TWIN_RETURN_IF_ERROR(Runtime::Instance().RequireReady("aclrtHostUnregister"));
        TWIN_RETURN_IF_NULL(ACL_ERROR_INVALID_PARAM, "aclrtHostUnregister", ptr);
        Runtime::Instance().WaitAll();
        return HostMappings::Instance().Remove(ptr);
    });
}

aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t* free, size_t* total) {
    return Guard("aclrtGetMemInfo", [&]() -> int {
        if (free == nullptr || total == nullptr) {
            return Fail(ACL_ERROR_INVALID_PARAM, "aclrtGetMemInfo: %s is null",
                        free == nullptr ? "free" : "total");
        }
        std::shared_ptr<Context> context;
        TWIN_RETURN_IF_ERROR(Runtime::Instance().Current("aclrtGetMemInfo", &context));
        switch (attr) {
            case ACL_HBM_MEM:
            case ACL_HBM_MEM_HUGE:
            case ACL_HBM_MEM_NORMAL:
            case ACL_HBM_MEM_P2P_HUGE:
            case ACL_HBM_MEM_P2P_NORMAL:
                *total = twin::host::CurrentSoc().hbmBytes;
                *free = *total - std::min<uint64_t>(DeviceMemory::Instance().Used(), *total);
                return ACL_SUCCESS;
            default:
                break;
        }
        return Fail(ACL_ERROR_INVALID_PARAM,
                    "aclrtGetMemInfo: attr is %d; A2 and A3 have HBM, so pass ACL_HBM_MEM (1) or "
                    "one of its parts",
                    static_cast<int>(attr));
    });
}

}  // extern "C"
