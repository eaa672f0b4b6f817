// SPDX-License-Identifier: Apache-2.0
// Tests of GroupedMatmulFinalizeRouting's tiling and inference, for every number of cores and for
// calls that must be refused.
#include <algorithm>
#include <memory>
#include <string>

#include "grouped_matmul_finalize_routing_tiling.h"
#include "plan.h"

using twin::host::OpNode;

namespace op = ops::GroupedMatmulFinalizeRoutingOp;

namespace {

using TilingData = GroupedMatmulFinalizeRoutingTilingData;

struct Sizes {
    int64_t experts;
    int64_t rows;
    int64_t k;
    int64_t cols;
    int64_t tokens;
    int64_t sharedRows = 1;
    int64_t sharedOffset = 0;
    int64_t groupListType = 1;
};

const Sizes kSmall = {8, 64, 2048, 7168, 8};
const Sizes kMedium = {32, 1024, 2048, 7168, 128};
const Sizes kLarge = {8, 16384, 2048, 7168, 2048};

Planned<TilingData> Plan(const Sizes& sizes, const char* soc = "Ascend910B2") {
    std::unique_ptr<OpNode> node = MakeNode<TilingData>("GroupedMatmulFinalizeRouting", soc);
    const int64_t e = sizes.experts;
    node->AddInput({sizes.rows, sizes.k}, ge::DT_INT8, ge::FORMAT_ND);
    node->AddInput({e, sizes.k, sizes.cols / 8}, ge::DT_INT32, ge::FORMAT_ND);
    node->AddInput({e, 1, sizes.cols}, ge::DT_INT64, ge::FORMAT_ND);
    node->AddInput({e, sizes.cols}, ge::DT_FLOAT, ge::FORMAT_ND);
    node->AddInput({sizes.rows}, ge::DT_FLOAT, ge::FORMAT_ND);
    node->AddInput({e}, ge::DT_INT64, ge::FORMAT_ND);
    node->AddInput({sizes.sharedRows, sizes.cols}, ge::DT_BF16, ge::FORMAT_ND);
    node->AddInput({sizes.rows}, ge::DT_FLOAT, ge::FORMAT_ND);
    node->AddInput({sizes.rows}, ge::DT_INT64, ge::FORMAT_ND);
    node->AddOutput({sizes.tokens, sizes.cols}, ge::DT_FLOAT, ge::FORMAT_ND);
    node->Attrs().Add(int64_t{0});
    node->Attrs().Add(0.5f);
    node->Attrs().Add(sizes.sharedOffset);
    node->Attrs().Add(false);
    node->Attrs().Add(false);
    node->Attrs().Add(sizes.tokens);
    node->Attrs().Add(sizes.groupListType);
    return PlanNode<TilingData>(std::move(node));
}

/// Returns the columns that the busiest cube core computes, divided by the average per cube core.
double Imbalance(const Sizes& sizes, const char* soc) {
    const Planned<TilingData> planned = Plan(sizes, soc);
    const TilingData& t = planned.tiling;
    const int64_t cubes = planned.node->result.blockDim;
    const int64_t rows = sizes.rows / sizes.experts;
    const int64_t parts = (rows + t.unitRows - 1) / t.unitRows;
    const int64_t units = sizes.experts * parts * ((sizes.cols + t.unitCols - 1) / t.unitCols);
    const double most = static_cast<double>((units + cubes - 1) / cubes * t.unitCols);
    return most * static_cast<double>(cubes) /
           static_cast<double>(sizes.experts * parts * sizes.cols);
}

template <typename Change>
bool RefusedWhen(Change change) {
    Sizes sizes = kSmall;
    CHECK(Plan(sizes).ok);
    change(&sizes);
    return !Plan(sizes).ok;
}

void CheckPlan(const Sizes& sizes, const char* soc) {
    const Planned<TilingData> planned = Plan(sizes, soc);
    CHECK(planned.ok);
    const TilingData& t = planned.tiling;
    CHECK(t.rows == sizes.rows && t.cols == sizes.cols && t.tokens == sizes.tokens);
    CHECK(t.k == sizes.k && t.experts == sizes.experts);
    CHECK(t.unitCols > 0 && t.unitCols % 64 == 0 && t.unitCols <= op::kMaxUnitCols);
    // A unit (a part of y that a core computes) is not wider than y, and has 512 rows or more.
    CHECK(t.unitCols < sizes.cols + 64);
    CHECK(t.unitRows >= 512 && t.unitRows % op::kTileRows == 0);
    CHECK(t.splitRows >= 1 && t.splitRows <= 4095);
    CHECK(t.splitRows * t.k <= op::kSplitElems);
    CHECK(op::kSplitElems * op::kSplitUbBytesPerElem <= planned.ubBytes);
    const uint64_t cubes = planned.node->result.blockDim;
    CHECK_EQ(cubes, static_cast<uint64_t>(planned.cores) / 2);
    CHECK_EQ(planned.node->result.scheduleMode, 1u);
    const uint64_t system = 16u << 20;
    const uint64_t slots = cubes * op::kSlots * op::kSlotBytes;
    CHECK_EQ(planned.node->result.workspaces[0], system + slots + sizes.rows * sizes.k);
}

struct Call {
    Dims w;
    int64_t outputBs;
    int64_t rows = 64;
};

std::unique_ptr<OpNode> NodeOf(const Call& call) {
    constexpr size_t kTilingBytes = 8192;
    std::unique_ptr<OpNode> node(
        new OpNode("GroupedMatmulFinalizeRouting", *twin::FindSoc("Ascend910B2"), kTilingBytes));
    node->AddInput({call.rows, 2048}, ge::DT_INT8, ge::FORMAT_ND);
    node->AddInput(call.w, ge::DT_INT32, ge::FORMAT_ND);
    node->AddInput({8, 1, 7168}, ge::DT_INT64, ge::FORMAT_ND);
    node->AddInput({8, 7168}, ge::DT_FLOAT, ge::FORMAT_ND);
    node->AddInput({call.rows}, ge::DT_FLOAT, ge::FORMAT_ND);
    node->AddInput({8}, ge::DT_INT64, ge::FORMAT_ND);
    node->AddInput({4, 7168}, ge::DT_BF16, ge::FORMAT_ND);
    node->AddInput({call.rows}, ge::DT_FLOAT, ge::FORMAT_ND);
    node->AddInput({call.rows}, ge::DT_INT64, ge::FORMAT_ND);
    node->AddOutput({}, ge::DT_FLOAT, ge::FORMAT_ND);
    node->Attrs().Add(int64_t{0});
    node->Attrs().Add(1.0f);
    node->Attrs().Add(int64_t{0});
    node->Attrs().Add(false);
    node->Attrs().Add(false);
    node->Attrs().Add(call.outputBs);
    node->Attrs().Add(int64_t{1});
    return node;
}

}  // namespace

TEST(InfersTheRowsOfTheTokensAndTheColumnsOfTheWeights) {
    const struct {
        Call call;
        bool ok;
        gert::Shape expected;
    } cases[] = {
        {{{8, 2048, 896}, 8}, true, gert::Shape({8, 7168})},
        {{{8, 2048, 9}, 1, 1}, true, gert::Shape({1, 72})},
        {{{8, 2048, 896}, 8, -1}, true, gert::Shape({8, 7168})},
        {{{-1, -1, 896}, 8}, true, gert::Shape({8, 7168})},
        {{{8, 2048, -1}, 8}, true, gert::Shape({8, -1})},
        {{{-2}, 8}, true, gert::Shape({8, -1})},
        {{{8, 2048, 896}, 0}, false, gert::Shape()},
        {{{8, 2048, 896}, -1}, false, gert::Shape()},
        {{{2048, 896}, 8}, false, gert::Shape()},
        {{{896}, 8}, false, gert::Shape()},
        {{{1, 8, 2048, 896}, 8}, false, gert::Shape()},
    };
    for (const auto& each : cases) {
        const std::unique_ptr<OpNode> node = NodeOf(each.call);
        std::string error;
        CHECK_EQ(RunInferShape(node.get(), &error) == ge::GRAPH_SUCCESS, each.ok);
        if (each.ok) {
            CHECK(*node->InferShape()->GetOutputShape(0) == each.expected);
        }
    }
}

TEST(InfersFloat) {
    const std::unique_ptr<OpNode> node = NodeOf({{8, 2048, 896}, 8});
    std::string error;
    CHECK_EQ(RunInferDataType(node.get(), &error), ge::GRAPH_SUCCESS);
    CHECK_EQ(static_cast<int>(node->InferDataType()->GetOutputDataType(0)),
             static_cast<int>(ge::DT_FLOAT));
}

TEST(PlansFitEveryChip) {
    for (const char* soc : {"Ascend910B2", "Ascend910B4"}) {
        for (int64_t experts : {1, 8, 64, 256}) {
            for (int64_t rows : {1, 7, 64, 1000, 16384, 131072}) {
                for (int64_t k : {192, 2048, 4096, 4160, 18432}) {
                    for (int64_t cols : {72, 136, 7168, 200000}) {
                        CheckPlan({experts, rows, k, cols, std::min<int64_t>(rows, 16)}, soc);
                    }
                }
            }
        }
    }
}

TEST(CubeCoresGetNearlyEqualShares) {
    for (const char* soc : kSocs) {
        CHECK(Imbalance(kSmall, soc) < 1.2);
        CHECK(Imbalance(kMedium, soc) < 1.1);
        CHECK(Imbalance(kLarge, soc) < 1.08);
        // With one expert, there would be fewer wide units (parts of the output) than cores. So the
        // units are narrower, and no core is idle for long.
        CHECK(Imbalance({1, 8, 2048, 7168, 8}, soc) < 1.45);
        CHECK(Imbalance({1, 16384, 2048, 7168, 2048}, soc) < 1.2);
    }
}

TEST(FewRowsReadWeightsOnce) {
    for (const Sizes& sizes : {kSmall, kMedium, Sizes{1, 65, 4096, 7168, 8}}) {
        CHECK_EQ(Plan(sizes).tiling.weightsOnce, 1u);
    }
    // The cores read these weights several times: there are many rows, or L1 is too small.
    for (const Sizes& sizes : {Sizes{1, 16384, 2048, 7168, 8}, Sizes{1, 65, 4160, 7168, 8}}) {
        CHECK_EQ(Plan(sizes).tiling.weightsOnce, 0u);
    }
}

TEST(PassesAttributesOn) {
    Sizes sizes = kSmall;
    sizes.sharedRows = 3;
    sizes.sharedOffset = 5;
    const TilingData counts = Plan(sizes).tiling;
    CHECK(counts.sharedWeight == 0.5f);
    CHECK_EQ(counts.sharedRows, 3);
    CHECK_EQ(counts.sharedOffset, 5);
    CHECK_EQ(counts.cumulative, 0u);
    sizes.groupListType = 0;
    CHECK_EQ(Plan(sizes).tiling.cumulative, 1u);
}

TEST(RefusesWhatTheKernelCannotDo) {
    CHECK(RefusedWhen([](Sizes* s) { s->k = 18432 + 64; }));
    CHECK(RefusedWhen([](Sizes* s) { s->k = 128; }));
    CHECK(RefusedWhen([](Sizes* s) { s->k = 2048 + 32; }));
    CHECK(RefusedWhen([](Sizes* s) { s->cols = 64; }));
    CHECK(RefusedWhen([](Sizes* s) { s->rows = 0; }));
    CHECK(RefusedWhen([](Sizes* s) { s->experts = 0; }));
    CHECK(RefusedWhen([](Sizes* s) { s->sharedOffset = -1; }));
    CHECK(RefusedWhen([](Sizes* s) { s->sharedOffset = s->tokens; }));
}

int main(int argc, char** argv) { return check::RunTests(argc, argv); }
