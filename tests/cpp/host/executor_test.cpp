// SPDX-License-Identifier: Apache-2.0
// Both phases of an aclnn call, with an operator and kernels that only this test has.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "acl_session.h"
#include "aclnn/acl_meta.h"
#include "check.h"
#include "host/op_call.h"
#include "probe/probe_tiling.h"

namespace {

constexpr uint64_t kSystem = 16ULL << 20;

/// Floats in device memory with a tensor over them.
struct Floats {
    Floats(std::vector<int64_t> dims, std::vector<int64_t> strides, int64_t offset, size_t elems,
           aclDataType type = ACL_FLOAT)
        : values(elems) {
        std::iota(values.begin(), values.end(), 1.0f);
        aclrtMalloc(&memory, std::max<size_t>(elems, 1) * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST);
        aclrtMemcpy(memory, elems * sizeof(float), values.data(), elems * sizeof(float),
                    ACL_MEMCPY_HOST_TO_DEVICE);
        tensor = aclCreateTensor(dims.data(), dims.size(), type,
                                 strides.empty() ? nullptr : strides.data(), offset,
                                 ACL_FORMAT_NCHW, dims.data(), dims.size(), memory);
    }
    explicit Floats(int64_t elems) : Floats({elems}, {}, 0, static_cast<size_t>(elems)) {}
    ~Floats() {
        aclDestroyTensor(tensor);
        aclrtFree(memory);
    }
    std::vector<float> Read() const {
        std::vector<float> now(values.size());
        aclrtMemcpy(now.data(), now.size() * sizeof(float), memory, now.size() * sizeof(float),
                    ACL_MEMCPY_DEVICE_TO_HOST);
        return now;
    }

    std::vector<float> values;
    void* memory = nullptr;
    aclTensor* tensor = nullptr;
};

struct Call {
    int64_t mode = kProbeCopy;
    const char* text = nullptr;
    const aclIntArray* sizes = nullptr;
    const aclIntArray* indices = nullptr;
    uint64_t workspaceBytes = 0;
    aclOpExecutor* executor = nullptr;

    int Plan(const aclTensor* x, const aclTensor* out) {
        twin::host::OpCall call("HostProbe");
        call.Input(x);
        call.Input(indices);
        call.Output(out);
        call.Attr(mode);
        call.Attr(text);
        call.Attr(sizes);
        return call.GetWorkspaceSize(&workspaceBytes, &executor);
    }
    int Run(aclrtStream stream) {
        void* workspace = nullptr;
        if (workspaceBytes > 0) aclrtMalloc(&workspace, workspaceBytes, ACL_MEM_MALLOC_HUGE_FIRST);
        const int status = twin::host::RunExecutor(workspace, workspaceBytes, executor, stream);
        const int result = status != 0 ? status : aclrtSynchronizeStream(stream);
        const std::string message = result == 0 ? "" : Message();
        if (workspace != nullptr) aclrtFree(workspace);
        if (result != 0) ACL_APP_LOG(ACL_ERROR, "%s", message.c_str());
        return result;
    }
};

int PlanStrict(const char* op, const aclTensor* x, const aclTensor* y) {
    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    twin::host::OpCall call(op);
    call.Input(x);
    call.Output(y);
    return call.GetWorkspaceSize(&bytes, &executor);
}

}  // namespace

TEST(ACallCopies) {
    AclSession session;
    Floats x(1000);
    Floats out(1000);
    Call call;
    CHECK_EQ(call.Plan(x.tensor, out.tensor), OK);
    CHECK_EQ(call.workspaceBytes, kSystem);
    aclrtMemset(out.memory, 4000, 0, 4000);
    CHECK_EQ(call.Run(session.stream), OK);
    CHECK(out.Read() == x.values);
}

TEST(NullsComeFirst) {
    AclSession session;
    Floats x(8);
    Call call;
    CHECK_EQ(call.Plan(nullptr, x.tensor), 161001);
    CHECK(MessageHas("input x is null"));
    CHECK_EQ(call.Plan(x.tensor, nullptr), 161001);
    twin::host::OpCall bare("HostProbe");
    CHECK_EQ(bare.GetWorkspaceSize(nullptr, &call.executor), 161001);
    CHECK_EQ(bare.GetWorkspaceSize(&call.workspaceBytes, nullptr), 161001);
    CHECK_EQ(twin::host::RunExecutor(nullptr, 0, nullptr, session.stream), 161001);
}

TEST(DestroyedTensorsAreRefused) {
    AclSession session;
    Floats x(8);
    Floats out(8);
    Call call;
    aclDestroyTensor(out.tensor);
    CHECK_EQ(call.Plan(x.tensor, out.tensor), 161002);
    CHECK(MessageHas("destroyed"));
    int here = 0;
    CHECK_EQ(call.Plan(x.tensor, reinterpret_cast<const aclTensor*>(&here)), 161002);
}

TEST(DtypesMustFormARow) {
    AclSession session;
    Floats x(8);
    Floats half({8}, {}, 0, 8, ACL_FLOAT16);
    Floats wrong({8}, {}, 0, 8, ACL_DOUBLE);
    Call call;
    CHECK_EQ(call.Plan(x.tensor, half.tensor), 161002);
    CHECK(MessageHas("x float32, out float16"));
    CHECK_EQ(call.Plan(wrong.tensor, wrong.tensor), 161002);
    CHECK_EQ(call.Plan(half.tensor, half.tensor), OK);
    CHECK_EQ(aclDestroyAclOpExecutor(call.executor), OK);
}

TEST(TheChipMustBeInTheDefinition) {
    AclSession session;
    Floats x(8);
    Call call;
    setenv("CANNERY_SOC", "Ascend910_9391", 1);
    CHECK_EQ(call.Plan(x.tensor, x.tensor), 161002);
    CHECK(MessageHas("ascend910_93"));
    setenv("CANNERY_SOC", "nothing", 1);
    CHECK_EQ(call.Plan(x.tensor, x.tensor), 100000);
    unsetenv("CANNERY_SOC");
}

TEST(StridedInputsAreGathered) {
    AclSession session;
    Floats x({20, 30}, {1, 20}, 5, 605);
    Floats out({20, 30}, {}, 0, 600);
    Call call;
    CHECK_EQ(call.Plan(x.tensor, out.tensor), OK);
    CHECK_EQ(call.workspaceBytes, kSystem + 2560);
    CHECK_EQ(call.Run(session.stream), OK);
    const std::vector<float> got = out.Read();
    for (size_t r = 0; r < 20; ++r) {
        for (size_t c = 0; c < 30; ++c) CHECK_EQ(got[r * 30 + c], x.values[5 + r + c * 20]);
    }
}

TEST(NegativeAndZeroStridesAreGathered) {
    AclSession session;
    Floats x({3, 4}, {0, -2}, 7, 8);
    Floats out({3, 4}, {}, 0, 12);
    Call call;
    CHECK_EQ(call.Plan(x.tensor, out.tensor), OK);
    CHECK_EQ(call.Run(session.stream), OK);
    const std::vector<float> got = out.Read();
    for (size_t i = 0; i < 12; ++i) CHECK_EQ(got[i], x.values[7 - 2 * (i % 4)]);
}

TEST(AGatherBeyondTheAllocationIsAnError) {
    AclSession session;
    Floats x({20, 30}, {1, 20}, 50, 605);
    Floats out({20, 30}, {}, 0, 600);
    Call call;
    CHECK_EQ(call.Plan(x.tensor, out.tensor), OK);
    CHECK_EQ(call.Run(session.stream), 507035);
    CHECK(MessageHas("T101"));
}

TEST(StridedOutputsAndStrictInputsAreRefused) {
    AclSession session;
    Floats x({4, 4}, {}, 0, 16);
    Floats strided({4, 4}, {1, 4}, 0, 16);
    Call call;
    CHECK_EQ(call.Plan(x.tensor, strided.tensor), 561000);
    CHECK(MessageHas("output out"));
    CHECK_EQ(PlanStrict("StrictProbe", strided.tensor, x.tensor), 561000);
    CHECK(MessageHas("AutoContiguous"));
}

TEST(MissingKernelNamesItsFile) {
    AclSession session;
    Floats x(4);
    CHECK_EQ(PlanStrict("StrictProbe", x.tensor, x.tensor), 561003);
    CHECK(MessageHas("/kernels/strict_probe_0.so"));
    CHECK_EQ(PlanStrict("NobodysOp", x.tensor, x.tensor), 561003);
    CHECK_EQ(PlanStrict("ListedProbe", x.tensor, x.tensor), 561000);
    CHECK(MessageHas("DataTypeList"));
}

TEST(TilingFailuresCarryTheirSentence) {
    AclSession session;
    Floats x(4);
    Call call;
    call.text = "refuse";
    CHECK_EQ(call.Plan(x.tensor, x.tensor), 561002);
    CHECK(MessageHas("expected anything else"));
    call.text = "no blocks";
    CHECK_EQ(call.Plan(x.tensor, x.tensor), 561002);
    CHECK(MessageHas("SetBlockDim"));
}

TEST(EmptyOutputsSkipTheLaunch) {
    AclSession session;
    Floats x({0, 4}, {}, 0, 0);
    Call call;
    call.text = "refuse";
    CHECK_EQ(call.Plan(x.tensor, x.tensor), OK);
    CHECK_EQ(call.workspaceBytes, 0u);
    CHECK_EQ(twin::host::RunExecutor(nullptr, 0, call.executor, session.stream), OK);
}

TEST(BadShapesAreRefused) {
    AclSession session;
    Floats negative({-4}, {}, 0, 4);
    Floats huge({int64_t{1} << 40, int64_t{1} << 40}, {}, 0, 4);
    Floats deep(std::vector<int64_t>(26, 1), {}, 0, 4);
    Floats out(4);
    Call call;
    CHECK_EQ(call.Plan(negative.tensor, out.tensor), 161002);
    CHECK_EQ(call.Plan(huge.tensor, out.tensor), 161002);
    CHECK_EQ(call.Plan(deep.tensor, out.tensor), 161002);
}

TEST(PhaseTwoChecksTheWorkspace) {
    AclSession session;
    Floats x(16);
    Floats out(16);
    Call call;
    CHECK_EQ(call.Plan(x.tensor, out.tensor), OK);
    CHECK_EQ(twin::host::RunExecutor(nullptr, call.workspaceBytes, call.executor, session.stream),
             161001);
    CHECK_EQ(twin::host::RunExecutor(x.memory, 16, call.executor, session.stream), 161002);
    CHECK_EQ(call.Run(session.stream), OK);
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
    CHECK_EQ(twin::host::RunExecutor(workspace, call.workspaceBytes, call.executor, session.stream),
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
    for (aclIntArray* array : {noneArray, someArray, hugeArray})
        CHECK_EQ(aclDestroyIntArray(array), OK);
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
    for (int i = 0; i < 3; ++i) CHECK_EQ(got[i], values[i]);
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
    CHECK_EQ(twin::host::RunExecutor(workspace, call.workspaceBytes, call.executor, session.stream),
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
    CHECK_EQ(twin::host::RunExecutor(workspace, call.workspaceBytes, call.executor, session.stream),
             100000);
    CHECK(MessageHas("CANNERY_THREADS=many"));
    unsetenv("CANNERY_THREADS");
    CHECK_EQ(twin::host::RunExecutor(workspace, call.workspaceBytes, call.executor, session.stream),
             OK);
    CHECK_EQ(aclrtSynchronizeStream(session.stream), OK);
    aclrtFree(workspace);
}

int main(int argc, char** argv) { return check::RunTests(argc, argv); }
