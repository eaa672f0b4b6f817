// SPDX-License-Identifier: Apache-2.0
// Tests of special cases: no aclInit, a fork while a task runs, too little address space. Each test
// needs a process of its own.
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

#include "acl/acl.h"
#include "acl_session.h"
#include "check.h"
#include "host/runtime.h"
#include "probe/probe_tiling.h"

namespace {

std::string kernelFile;

/// Runs `body` in a child process for at most 20 s. Returns 0 if it ends without an error. This
/// process must not have used acl before.
int InChild(int (*body)()) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        check::Failures() = 0;
        const int failures = body();
        std::fflush(stdout);
        _exit(failures == 0 ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
}

int WithoutInit() {
    void* memory = nullptr;
    aclrtStream stream = nullptr;
    CHECK_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    CHECK_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
    CHECK_EQ(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    CHECK_EQ(aclrtMemset(memory, 64, 1, 64), ACL_SUCCESS);
    CHECK_EQ(aclFinalize(), ACL_ERROR_UNINITIALIZE);
    CHECK_EQ(aclInit(nullptr), ACL_SUCCESS);
    CHECK_EQ(aclInit(nullptr), ACL_ERROR_REPEAT_INITIALIZE);
    CHECK_EQ(aclrtFree(memory), ACL_SUCCESS);
    CHECK_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
    CHECK_EQ(aclFinalize(), ACL_SUCCESS);
    CHECK_EQ(aclrtSetDevice(0), ACL_ERROR_UNINITIALIZE);
    return check::Failures();
}

int ForkAfterSetDevice() {
    CHECK_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    CHECK_EQ(InChild([] {
                 aclrtStream stream = nullptr;
                 CHECK_EQ(aclrtSetDevice(0), ACL_ERROR_RT_INTERNAL_ERROR);
                 CHECK(MessageHas("forked after aclInit or aclrtSetDevice"));
                 CHECK_EQ(aclInit(nullptr), ACL_ERROR_RT_INTERNAL_ERROR);
                 CHECK_EQ(aclrtCreateStream(&stream), ACL_ERROR_RT_INTERNAL_ERROR);
                 return check::Failures();
             }),
             0);
    return check::Failures();
}

int ForkWhileWorkRuns() {
    AclSession session;
    twin::host::EnqueueOnStream("test", session.stream, [](const twin::host::CancelFlag& cancel) {
        while (!cancel->load()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return twin::LaunchResult();
    });
    const int status = InChild([] {
        aclrtStream stream = nullptr;
        void* memory = nullptr;
        CHECK_EQ(aclInit(nullptr), ACL_ERROR_RT_INTERNAL_ERROR);
        CHECK_EQ(aclrtSetDevice(0), ACL_ERROR_RT_INTERNAL_ERROR);
        CHECK(MessageHas("forked"));
        CHECK_EQ(aclrtCreateStream(&stream), ACL_ERROR_RT_INTERNAL_ERROR);
        CHECK_EQ(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_INTERNAL_ERROR);
        CHECK_EQ(aclrtSynchronizeDevice(), ACL_ERROR_RT_INTERNAL_ERROR);
        return check::Failures();
    });
    CHECK_EQ(status, 0);
    CHECK_EQ(aclrtStreamAbort(session.stream), ACL_SUCCESS);
    return check::Failures();
}

// Not tested with the address sanitizer: it may allocate memory at any time, and ends the process
// if an allocation fails.
#ifndef __SANITIZE_ADDRESS__
void LimitAddressSpace(uint64_t spare) {
    unsigned long pages = 0;
    std::FILE* const file = std::fopen("/proc/self/statm", "r");
    CHECK_EQ(std::fscanf(file, "%lu", &pages), 1);
    std::fclose(file);
    rlimit limit = {};
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) + spare;
    setrlimit(RLIMIT_AS, &limit);
}

/// Address space in bytes that a launch of 48 cores may use. If it is too small,
/// LaunchInLittleSpace returns -1.
uint64_t spareBytes = 0;
int LaunchInLittleSpace() {
    AclSession session;
    aclrtBinHandle binary = nullptr;
    aclrtFuncHandle function = nullptr;
    CHECK_EQ(aclrtBinaryLoadFromFile(kernelFile.c_str(), nullptr, &binary), ACL_SUCCESS);
    CHECK_EQ(aclrtBinaryGetFunction(binary, "host_probe", &function), ACL_SUCCESS);
    void* memory = nullptr;
    CHECK_EQ(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    const ProbeTiling tiling = {16, kProbeCopy, 0};
    aclrtMemcpy(memory, 4096, &tiling, sizeof(tiling), ACL_MEMCPY_HOST_TO_DEVICE);
    char* const base = static_cast<char*>(memory);
    void* args[] = {base + 1024, nullptr, base + 2048, nullptr, memory};
    LimitAddressSpace(spareBytes);
    CHECK_EQ(aclrtLaunchKernel(function, 48, args, sizeof(args), session.stream), ACL_SUCCESS);
    const int status = aclrtSynchronizeStream(session.stream);
    const std::string message = status == 0 ? "" : Message();
    if (status == 0) {
        return check::Failures();
    }
    CHECK(status == ACL_ERROR_RT_PARAM_INVALID || status == ACL_ERROR_RT_MEMORY_ALLOCATION);
    CHECK_EQ(message.substr(0, 4), "T605");
    return check::Failures() == 0 ? -1 : check::Failures();
}
#endif

}  // namespace

TEST(SetDeviceNeedsNoInit) { CHECK_EQ(InChild(&WithoutInit), 0); }

TEST(AForkedChildIsToldSo) { CHECK_EQ(InChild(&ForkWhileWorkRuns), 0); }

TEST(AForkAfterSetDeviceAloneToo) { CHECK_EQ(InChild(&ForkAfterSetDevice), 0); }

#ifndef __SANITIZE_ADDRESS__
/// Returns false if the limit has no effect, as in an emulator of another processor.
bool AddressSpaceHasALimit() {
    return InChild([] {
               LimitAddressSpace(1 << 20);
               void* const much =
                   mmap(nullptr, 64 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
               return much == MAP_FAILED ? 0 : 1;
           }) == 0;
}

TEST(NoMemoryInAWorkerEndsTheLaunch) {
    if (!AddressSpaceHasALimit()) {
        std::printf("skip NoMemoryInAWorkerEndsTheLaunch: RLIMIT_AS has no effect here\n");
        return;
    }
    int refused = 0;
    for (spareBytes = 0; spareBytes < 100 << 20; spareBytes += 3 << 20) {
        const int status = InChild([] {
            const int result = LaunchInLittleSpace();
            std::fflush(stdout);
            if (result == -1) {
                _exit(2);
            }
            return result;
        });
        CHECK(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 2));
        refused += WEXITSTATUS(status) == 2 ? 1 : 0;
    }
    CHECK(refused > 2);
}
#endif

/// Usage: process_test <kernel file> [filter]
int main(int argc, char** argv) {
    if (argc < 2) {
        return 2;
    }
    kernelFile = argv[1];
    return check::RunTests(argc - 1, argv + 1);
}
