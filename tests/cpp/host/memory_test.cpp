// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "acl/acl.h"
#include "acl_session.h"
#include "check.h"
#include "core/gm.h"

namespace {

void* Malloc(size_t bytes) {
    void* memory = nullptr;
    CHECK_EQ(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    return memory;
}

}  // namespace

TEST(AllocationIsAlignedPoisonedAndExact) {
    AclSession session;
    void* const memory = Malloc(100);
    CHECK_EQ(reinterpret_cast<uintptr_t>(memory) % 512, 0u);
    std::vector<uint32_t> words(25);
    CHECK_EQ(aclrtMemcpy(words.data(), 100, memory, 100, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
    for (uint32_t word : words) {
        CHECK_EQ(word, 0xFFC0DEADu);
    }
    twin::GmRange range;
    CHECK(twin::GmRegistry::Instance().Find(reinterpret_cast<uintptr_t>(memory), &range));
    CHECK_EQ(range.bytes, 100u);
    CHECK_EQ(aclrtFree(memory), ACL_SUCCESS);
    CHECK(!twin::GmRegistry::Instance().Find(reinterpret_cast<uintptr_t>(memory), nullptr));
}

TEST(BadAllocationsAreRefused) {
    AclSession session;
    void* memory = nullptr;
    CHECK_EQ(aclrtMalloc(&memory, 0, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtMalloc(nullptr, 32, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtMalloc(&memory, 32, static_cast<aclrtMemMallocPolicy>(77)),
             ACL_ERROR_INVALID_PARAM);
    for (size_t bytes :
         {std::numeric_limits<size_t>::max(), std::numeric_limits<size_t>::max() - 40,
          size_t{1} << 60, size_t{65} << 30}) {
        CHECK_EQ(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST),
                 ACL_ERROR_RT_MEMORY_ALLOCATION);
    }
    CHECK(MessageHas("CANNERY_SOC"));
    CHECK(memory == nullptr);
}

TEST(BadFreesAreRefused) {
    AclSession session;
    int here = 0;
    void* const memory = Malloc(64);
    CHECK_EQ(aclrtFree(nullptr), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtFree(&here), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtFree(static_cast<char*>(memory) + 32), ACL_ERROR_RT_PARAM_INVALID);
    CHECK(MessageHas("lies in aclrtMalloc #"));
    CHECK_EQ(aclrtFree(memory), ACL_SUCCESS);
    CHECK_EQ(aclrtFree(memory), ACL_ERROR_RT_PARAM_INVALID);
}

TEST(MemoryIsAccounted) {
    AclSession session;
    size_t before = 0;
    size_t total = 0;
    size_t during = 0;
    CHECK_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &before, &total), ACL_SUCCESS);
    CHECK_EQ(total, size_t{64} << 30);
    void* const memory = Malloc(100);
    CHECK_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &during, &total), ACL_SUCCESS);
    CHECK_EQ(before - during, 128u + 32u);
    void* align32 = nullptr;
    CHECK_EQ(aclrtMallocAlign32(&align32, 100, ACL_MEM_MALLOC_NORMAL_ONLY), ACL_SUCCESS);
    CHECK_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &during, &total), ACL_SUCCESS);
    CHECK_EQ(before - during, 2 * 128u + 32u);
    CHECK_EQ(aclrtFree(memory), ACL_SUCCESS);
    CHECK_EQ(aclrtFree(align32), ACL_SUCCESS);
    CHECK_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &during, &total), ACL_SUCCESS);
    CHECK_EQ(during, before);
    CHECK_EQ(aclrtGetMemInfo(ACL_DDR_MEM, &during, &total), ACL_ERROR_INVALID_PARAM);
}

TEST(CopiesCheckBothSides) {
    AclSession session;
    std::vector<char> host(128, 7);
    void* const memory = Malloc(100);
    CHECK_EQ(aclrtMemcpy(memory, 100, host.data(), 100, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
    CHECK_EQ(aclrtMemcpy(memory, 100, host.data(), 101, ACL_MEMCPY_HOST_TO_DEVICE),
             ACL_ERROR_INVALID_PARAM);
    CHECK(MessageHas("destMax"));
    CHECK_EQ(aclrtMemcpy(memory, 128, host.data(), 128, ACL_MEMCPY_HOST_TO_DEVICE),
             ACL_ERROR_RT_PARAM_INVALID);
    CHECK(MessageHas("has 100 bytes"));
    CHECK_EQ(aclrtMemcpy(host.data(), 100, host.data(), 100, ACL_MEMCPY_HOST_TO_DEVICE),
             ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtMemcpy(memory, 100, memory, 100, ACL_MEMCPY_HOST_TO_DEVICE),
             ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtMemcpy(nullptr, 100, memory, 100, ACL_MEMCPY_DEVICE_TO_HOST),
             ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtMemcpy(host.data(), 100, memory, 100, static_cast<aclrtMemcpyKind>(42)),
             ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtMemset(memory, 100, 3, 100), ACL_SUCCESS);
    CHECK_EQ(aclrtMemset(memory, 200, 3, 101), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtMemcpy(host.data(), 128, memory, 100, ACL_MEMCPY_DEFAULT), ACL_SUCCESS);
    CHECK_EQ(static_cast<int>(host[99]), 3);
    CHECK_EQ(static_cast<int>(host[100]), 7);
    CHECK_EQ(aclrtFree(memory), ACL_SUCCESS);
}

TEST(AsyncCopiesKeepTheirOrder) {
    AclSession session;
    std::vector<int> host(1000, 5);
    std::vector<int> back(1000, 0);
    const size_t bytes = host.size() * sizeof(int);
    void* const first = Malloc(bytes);
    void* const second = Malloc(bytes);
    CHECK_EQ(aclrtMemsetAsync(first, bytes, 0, bytes, session.stream), ACL_SUCCESS);
    CHECK_EQ(aclrtMemcpyAsync(first, bytes, host.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE,
                              session.stream),
             ACL_SUCCESS);
    CHECK_EQ(
        aclrtMemcpyAsync(second, bytes, first, bytes, ACL_MEMCPY_DEVICE_TO_DEVICE, session.stream),
        ACL_SUCCESS);
    CHECK_EQ(aclrtMemcpyAsync(back.data(), bytes, second, bytes, ACL_MEMCPY_DEVICE_TO_HOST,
                              session.stream),
             ACL_SUCCESS);
    CHECK_EQ(aclrtSynchronizeStream(session.stream), ACL_SUCCESS);
    CHECK(back == host);
    CHECK_EQ(aclrtFree(first), ACL_SUCCESS);
    CHECK_EQ(aclrtFree(second), ACL_SUCCESS);
}

TEST(HostMemoryCanBeMappedReadOnly) {
    AclSession session;
    std::vector<char> host(256, 1);
    void* device = nullptr;
    CHECK_EQ(aclrtHostRegister(host.data(), 128, ACL_HOST_REGISTER_MAPPED, &device), ACL_SUCCESS);
    CHECK(device == host.data());
    CHECK_EQ(aclrtHostRegister(host.data() + 64, 128, ACL_HOST_REGISTER_MAPPED, &device),
             ACL_ERROR_RT_PARAM_INVALID);
    CHECK(MessageHas("overlaps"));
    CHECK_EQ(aclrtHostUnregister(host.data() + 1), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtHostUnregister(host.data()), ACL_SUCCESS);
    CHECK_EQ(aclrtHostRegisterV2(host.data(), 128, ACL_HOST_REG_MAPPED | ACL_HOST_REG_READONLY),
             ACL_SUCCESS);
    CHECK_EQ(aclrtHostGetDevicePointer(host.data(), &device, 0), ACL_SUCCESS);
    CHECK(device == host.data());
    CHECK_EQ(aclrtMemset(device, 128, 0, 128), ACL_ERROR_RT_PARAM_INVALID);
    CHECK(MessageHas("read-only"));
    CHECK_EQ(aclrtHostUnregister(host.data()), ACL_SUCCESS);
    CHECK_EQ(aclrtHostRegisterV2(host.data(), 128, ACL_HOST_REG_PINNED), ACL_SUCCESS);
    CHECK_EQ(aclrtHostGetDevicePointer(host.data(), &device, 0), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtHostUnregister(host.data()), ACL_SUCCESS);
    CHECK_EQ(aclrtHostRegisterV2(host.data(), 128, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtHostRegisterV2(host.data(), 128, ACL_HOST_REG_IOMEMORY), ACL_ERROR_INVALID_PARAM);
}

TEST(PinnedHostMemory) {
    AclSession session;
    void* host = nullptr;
    CHECK_EQ(aclrtMallocHost(&host, 100), ACL_SUCCESS);
    std::memset(host, 1, 100);
    CHECK_EQ(aclrtFreeHost(host), ACL_SUCCESS);
    CHECK_EQ(aclrtFreeHost(host), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_EQ(aclrtMallocHost(&host, 0), ACL_ERROR_INVALID_PARAM);
}

TEST(ResetFreesTheDevice) {
    AclSession session;
    void* const memory = Malloc(64);
    CHECK_EQ(aclrtDestroyStream(session.stream), ACL_SUCCESS);
    CHECK_EQ(aclrtResetDevice(0), ACL_SUCCESS);
    CHECK(!twin::GmRegistry::Instance().Find(reinterpret_cast<uintptr_t>(memory), nullptr));
    CHECK_EQ(aclrtFree(memory), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    CHECK_EQ(aclrtCreateStream(&session.stream), ACL_SUCCESS);
}

int main(int argc, char** argv) { return check::RunTests(argc, argv); }
