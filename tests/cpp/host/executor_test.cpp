// SPDX-License-Identifier: Apache-2.0
// Tests of phase 1 of an aclnn call and of copies of strided inputs, with a test-only operator.
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "check.h"
#include "probe/probe_call.h"

namespace {

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
    CHECK_EQ(twin::host::RunExecutor("HostProbe", nullptr, 0, nullptr, session.stream), 161001);
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
        for (size_t c = 0; c < 30; ++c) {
            CHECK_EQ(got[r * 30 + c], x.values[5 + r + c * 20]);
        }
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
    for (size_t i = 0; i < 12; ++i) {
        CHECK_EQ(got[i], x.values[7 - 2 * (i % 4)]);
    }
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
    CHECK(MessageHas("/strict_probe/strict_probe_0.so"));
    CHECK_EQ(PlanStrict("NobodysOp", x.tensor, x.tensor), 561003);
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
    CHECK_EQ(twin::host::RunExecutor("HostProbe", nullptr, 0, call.executor, session.stream), OK);
}

TEST(EmptyOutputsAreLaunchedIfTheDefinitionSaysSo) {
    AclSession session;
    Floats x({0, 4}, {}, 0, 0);
    CHECK_EQ(PlanStrict("StrictProbe", x.tensor, x.tensor), 561003);  // it has no kernel to launch
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

int main(int argc, char** argv) { return check::RunTests(argc, argv); }
