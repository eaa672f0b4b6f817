// SPDX-License-Identifier: Apache-2.0
// Tests of phase 2 of an aclnn call: executors, workspaces, valid ranges of memory, aborts.
#include <sys/mman.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <thread>
#include <vector>

#include "check.h"
#include "probe/probe_call.h"

TEST(PhaseTwoChecksTheWorkspace) {
    AclSession session;
    Floats x(16);
    Floats out(16);
    Call call;
    CHECK_EQ(call.Plan(x.tensor, out.tensor), OK);
    CHECK_EQ(twin::host::RunExecutor("HostProbe", nullptr, call.workspaceBytes, call.executor,
                                     session.stream),
             161001);
    CHECK_EQ(twin::host::RunExecutor("HostProbe", x.memory, 16, call.executor, session.stream),
             161002);
    CHECK_EQ(call.Run(session.stream), OK);
}

TEST(TheWorkspaceIsLookedUpWhenTheStreamComesToIt) {
    AclSession session;
    Floats x({8, 8}, {1, 8}, 0, 64);
    Floats out({8, 8}, {}, 0, 64);
    Call call;
    const auto run = [&](void* workspace) {
        CHECK_EQ(call.Plan(x.tensor, out.tensor), OK);
        CHECK(call.workspaceBytes > 0);
        CHECK_EQ(twin::host::RunExecutor("HostProbe", workspace, call.workspaceBytes, call.executor,
                                         session.stream),
                 OK);
        return aclrtSynchronizeStream(session.stream);
    };
    CHECK_EQ(run(reinterpret_cast<void*>(0x123456789000)), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    CHECK(MessageHas("T102 unknown GM address: the workspace"));
    void* freed = nullptr;
    aclrtMalloc(&freed, call.workspaceBytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtFree(freed);
    CHECK_EQ(run(freed), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    CHECK(MessageHas("T102"));
    void* small = nullptr;
    aclrtMalloc(&small, 4096, ACL_MEM_MALLOC_HUGE_FIRST);
    CHECK_EQ(run(small), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    CHECK(MessageHas("T101 GM out of bounds: the workspace"));
    aclrtFree(small);
    std::vector<char> host(call.workspaceBytes);
    CHECK_EQ(aclrtHostRegisterV2(host.data(), host.size(), ACL_HOST_REG_READONLY), ACL_SUCCESS);
    CHECK_EQ(run(host.data()), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    CHECK(MessageHas("T105"));
    aclrtHostUnregister(host.data());
    CHECK_EQ(call.Plan(x.tensor, out.tensor), OK);
    CHECK_EQ(call.Run(session.stream), OK);
}

TEST(HostMemoryThatIsGoneIsAnError) {
    AclSession session;
    Floats out({8, 8}, {}, 0, 64);
    const size_t bytes = 1 << 16;
    void* const memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK_EQ(aclrtHostRegisterV2(memory, bytes, ACL_HOST_REG_MAPPED), ACL_SUCCESS);
    mprotect(memory, bytes, PROT_NONE);
    const int64_t dims[] = {8, 8};
    const int64_t transposed[] = {1, 8};
    for (const int64_t* strides : {transposed, static_cast<const int64_t*>(nullptr)}) {
        aclTensor* const x =
            aclCreateTensor(dims, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, dims, 2, memory);
        Call call;
        CHECK_EQ(call.Plan(x, out.tensor), OK);
        CHECK_EQ(call.Run(session.stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
        CHECK(MessageHas("T501"));
        aclDestroyTensor(x);
    }
    CHECK_EQ(aclrtMemset(memory, bytes, 0, bytes), ACL_ERROR_RT_PARAM_INVALID);
    CHECK(MessageHas("T501 segmentation fault: aclrtMemset"));
    CHECK_EQ(
        aclrtMemcpyAsync(out.memory, 256, memory, 256, ACL_MEMCPY_HOST_TO_DEVICE, session.stream),
        ACL_SUCCESS);
    CHECK_EQ(aclrtSynchronizeStream(session.stream), ACL_ERROR_RT_PARAM_INVALID);
    CHECK(MessageHas("T501"));
    CHECK_EQ(aclrtHostUnregister(memory), ACL_SUCCESS);
    munmap(memory, bytes);
}

TEST(ExecutorsBelongToTheirOperator) {
    AclSession session;
    Floats x(16);
    Floats out(16);
    Call call;
    CHECK_EQ(call.Plan(x.tensor, out.tensor), OK);
    CHECK_EQ(twin::host::RunExecutor("Other", nullptr, 0, call.executor, session.stream), 161002);
    CHECK(MessageHas("Other: executor belongs to a call of HostProbe"));
    CHECK_EQ(call.Run(session.stream), OK);
}

TEST(ViewsThatWrapAreRefused) {
    AclSession session;
    Floats out({2}, {}, 0, 2);
    const int64_t large = int64_t{1} << 61;
    for (const int64_t offset : {large, large - 1, 2 * large, INT64_MAX, INT64_MIN, int64_t{-1}}) {
        for (const int64_t stride : {int64_t{1}, large, -large, INT64_MAX, INT64_MIN}) {
            Floats x({2}, {stride}, offset, 2);
            Call call;
            CHECK_EQ(call.Plan(x.tensor, out.tensor), 161002);
            CHECK(MessageHas("offset"));
        }
    }
    for (const int64_t offset : {int64_t{3}, large / 32}) {
        Floats x({2}, {1}, offset, 2);
        Call call;
        CHECK_EQ(call.Plan(x.tensor, out.tensor), OK);
        CHECK_EQ(call.Run(session.stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    }
}

TEST(ExecutorsAreUsedOnce) {
    AclSession session;
    Floats x(16);
    Floats out(16);
    Call call;
    CHECK_EQ(call.Plan(x.tensor, out.tensor), OK);
    CHECK_EQ(call.Run(session.stream), OK);
    CHECK_EQ(call.Run(session.stream), 161002);
    CHECK(MessageHas("used or destroyed"));
    CHECK_EQ(aclDestroyAclOpExecutor(call.executor), 161002);
    CHECK_EQ(aclSetAclOpExecutorRepeatable(call.executor), 161002);
    CHECK_EQ(aclDestroyAclOpExecutor(nullptr), 161001);
}

TEST(RepeatableExecutorsTakeNewAddresses) {
    AclSession session;
    Floats x(16);
    Floats other(16);
    Floats out(16);
    Floats second(16);
    other.values.assign(16, 7.0f);
    aclrtMemcpy(other.memory, 64, other.values.data(), 64, ACL_MEMCPY_HOST_TO_DEVICE);
    Call call;
    CHECK_EQ(call.Plan(x.tensor, out.tensor), OK);
    CHECK_EQ(aclSetAclOpExecutorRepeatable(call.executor), OK);
    CHECK_EQ(call.Run(session.stream), OK);
    CHECK_EQ(aclSetInputTensorAddr(call.executor, 0, x.tensor, other.memory), OK);
    CHECK_EQ(aclSetOutputTensorAddr(call.executor, 0, out.tensor, second.memory), OK);
    CHECK_EQ(call.Run(session.stream), OK);
    CHECK(second.Read() == other.values);
    CHECK(out.Read() == x.values);
    CHECK_EQ(aclSetTensorAddr(call.executor, 2, out.tensor, out.memory), OK);
    CHECK_EQ(call.Run(session.stream), OK);
    CHECK(out.Read() == other.values);
    CHECK_EQ(aclSetTensorAddr(call.executor, 1, x.tensor, x.memory), 161002);
    CHECK_EQ(aclSetInputTensorAddr(call.executor, 2, x.tensor, x.memory), 161002);
    CHECK_EQ(aclSetInputTensorAddr(call.executor, 0, nullptr, x.memory), 561103);
    CHECK_EQ(aclDestroyAclOpExecutor(call.executor), OK);
    CHECK_EQ(call.Run(session.stream), 161002);
}

TEST(TensorsMayGoAfterPhaseTwo) {
    AclSession session;
    Floats x(4096);
    Floats out(4096);
    Call call;
    CHECK_EQ(call.Plan(x.tensor, out.tensor), OK);
    void* workspace = nullptr;
    aclrtMalloc(&workspace, call.workspaceBytes, ACL_MEM_MALLOC_HUGE_FIRST);
    CHECK_EQ(twin::host::RunExecutor("HostProbe", workspace, call.workspaceBytes, call.executor,
                                     session.stream),
             OK);
    aclDestroyTensor(x.tensor);
    aclDestroyTensor(out.tensor);
    CHECK_EQ(aclrtSynchronizeStream(session.stream), OK);
    CHECK(out.Read() == x.values);
    aclrtFree(workspace);
}

TEST(InPlaceCallsWork) {
    AclSession session;
    Floats x(300);
    Call call;
    CHECK_EQ(call.Plan(x.tensor, x.tensor), OK);
    CHECK_EQ(call.Run(session.stream), OK);
    CHECK(x.Read() == x.values);
}

TEST(InputsAreReadOnlyAndWindowsExact) {
    AclSession session;
    Floats x({60}, {}, 4, 100);
    Floats out(61);
    Call call;
    call.mode = kProbeWriteInput;
    CHECK_EQ(call.Plan(x.tensor, out.tensor), OK);
    CHECK_EQ(call.Run(session.stream), 507035);
    CHECK(MessageHas("input x"));
    call.mode = kProbeReadPastInput;
    CHECK_EQ(call.Plan(x.tensor, out.tensor), OK);
    CHECK_EQ(call.Run(session.stream), 507035);
    CHECK(MessageHas("T101"));
    call.mode = kProbeCopy;
    CHECK_EQ(call.Plan(x.tensor, out.tensor), OK);
    CHECK_EQ(call.Run(session.stream), OK);
    CHECK_EQ(out.Read()[0], x.values[4]);
}

TEST(TheUserWorkspaceIsWhatTilingAskedBeyondTheSystem) {
    AclSession session;
    Floats x(16);
    Floats out(16);
    const int64_t none[] = {0};
    const int64_t some[] = {static_cast<int64_t>(kSystem), 64};
    const int64_t tooMany[] = {-1, -1};
    aclIntArray* const noneArray = aclCreateIntArray(none, 1);
    aclIntArray* const someArray = aclCreateIntArray(some, 2);
    aclIntArray* const hugeArray = aclCreateIntArray(tooMany, 2);
    Call call;
    call.mode = kProbeTouchWorkspace;
    call.sizes = someArray;
    CHECK_EQ(call.Plan(x.tensor, out.tensor), OK);
    CHECK_EQ(call.workspaceBytes, kSystem + 64);
    CHECK_EQ(call.Run(session.stream), OK);
    call.sizes = nullptr;
    CHECK_EQ(call.Plan(x.tensor, out.tensor), OK);
    CHECK_EQ(call.Run(session.stream), 507035);
    call.sizes = noneArray;
    CHECK_EQ(call.Plan(x.tensor, out.tensor), OK);
    CHECK_EQ(call.workspaceBytes, 0u);
    CHECK_EQ(call.Run(session.stream), 507035);
    call.mode = kProbeCopy;
    CHECK_EQ(call.Plan(x.tensor, out.tensor), OK);
    CHECK_EQ(call.Run(session.stream), OK);
    call.sizes = hugeArray;
    CHECK_EQ(call.Plan(x.tensor, out.tensor), 561002);
    for (aclIntArray* array : {noneArray, someArray, hugeArray}) {
        CHECK_EQ(aclDestroyIntArray(array), OK);
    }
    CHECK_EQ(call.Plan(x.tensor, out.tensor), 161002);
}

TEST(IntArraysReachTilingAndKernel) {
    AclSession session;
    Floats x(16);
    Floats out(16);
    const int64_t values[] = {5, -6, 7};
    aclIntArray* const array = aclCreateIntArray(values, 3);
    Call call;
    call.mode = kProbeReadIndices;
    call.indices = array;
    CHECK_EQ(call.Plan(x.tensor, out.tensor), OK);
    CHECK_EQ(aclDestroyIntArray(array), OK);
    CHECK_EQ(call.Run(session.stream), OK);
    int64_t got[3] = {};
    CHECK_EQ(aclrtMemcpy(got, sizeof(got), out.memory, sizeof(got), ACL_MEMCPY_DEVICE_TO_HOST), OK);
    for (int i = 0; i < 3; ++i) {
        CHECK_EQ(got[i], values[i]);
    }
}

TEST(AbortEndsARunningKernel) {
    AclSession session;
    Floats x(16);
    Floats out(16);
    Call call;
    call.mode = kProbeLoop;
    CHECK_EQ(call.Plan(x.tensor, out.tensor), OK);
    void* workspace = nullptr;
    aclrtMalloc(&workspace, call.workspaceBytes, ACL_MEM_MALLOC_HUGE_FIRST);
    CHECK_EQ(twin::host::RunExecutor("HostProbe", workspace, call.workspaceBytes, call.executor,
                                     session.stream),
             OK);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    CHECK_EQ(aclrtSynchronizeStreamWithTimeout(session.stream, 0),
             ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    CHECK_EQ(aclrtStreamAbort(session.stream), OK);
    CHECK_EQ(aclrtSynchronizeStream(session.stream), ACL_ERROR_RT_STREAM_ABORT);
    CHECK_EQ(aclrtFree(workspace), OK);
}

TEST(BadSettingsAreNamedWhenWorkIsEnqueued) {
    AclSession session;
    Floats x(16);
    Floats out(16);
    Call call;
    CHECK_EQ(call.Plan(x.tensor, out.tensor), OK);
    void* workspace = nullptr;
    aclrtMalloc(&workspace, call.workspaceBytes, ACL_MEM_MALLOC_HUGE_FIRST);
    setenv("CANNERY_THREADS", "many", 1);
    CHECK_EQ(twin::host::RunExecutor("HostProbe", workspace, call.workspaceBytes, call.executor,
                                     session.stream),
             100000);
    CHECK(MessageHas("CANNERY_THREADS=many"));
    unsetenv("CANNERY_THREADS");
    CHECK_EQ(twin::host::RunExecutor("HostProbe", workspace, call.workspaceBytes, call.executor,
                                     session.stream),
             OK);
    CHECK_EQ(aclrtSynchronizeStream(session.stream), OK);
    aclrtFree(workspace);
}

int main(int argc, char** argv) { return check::RunTests(argc, argv); }
