// SPDX-License-Identifier: Apache-2.0
// Tests of GroupedMatmulFinalizeRouting's tiling and inference, for every number of cores and for
// calls that must be refused.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

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

template <typename Change>
bool RefusedWhen(Change change) {
    Sizes sizes = kSmall;
    CHECK(Plan(sizes).ok);
    change(&sizes);
    return !Plan(sizes).ok;
}

/// Checks that the panels cover all columns, and that none is wider than the kernel's buffers.
void CheckPanels(const op::Panels& panels, int64_t cols, uint32_t most) {
    CHECK(panels.cols > 0 && panels.cols <= most);
    CHECK(panels.tailCols <= panels.cols && panels.tailCols % 8 == 0);
    CHECK_EQ(panels.tail % panels.cols, 0u);
    const int64_t left = cols - panels.tail;
    CHECK(left >= 0 && left <= 2 * static_cast<int64_t>(panels.tailCols));
    const int64_t tails = left == 0 ? 0 : (left + panels.tailCols - 1) / panels.tailCols;
    CHECK_EQ(static_cast<int64_t>(panels.weight), panels.tail + tails * panels.tailWeight);
}

void CheckPlan(const Sizes& sizes, const char* soc) {
    const Planned<TilingData> planned = Plan(sizes, soc);
    CHECK(planned.ok);
    const TilingData& t = planned.tiling;
    CHECK(t.rows == sizes.rows && t.cols == sizes.cols && t.tokens == sizes.tokens);
    CHECK(t.k == sizes.k && t.experts == sizes.experts);
    CheckPanels(t.few, sizes.cols, op::kFewCols);
    CheckPanels(t.some, sizes.cols, op::kSomeCols);
    CheckPanels(t.more, sizes.cols, op::kMoreCols);
    const bool unpacks = t.unpackK != 0;
    CheckPanels(t.many, sizes.cols, unpacks ? op::kUnpackCols : op::kResidentCols);
    CHECK(t.unpackK % 64 == 0 && t.unpackK <= t.k);
    const bool hasParts = unpacks && t.unpackK < t.k;
    CHECK_EQ(t.blockSlots, hasParts  ? op::kSlots + op::kUnpackGroup
                           : unpacks ? op::kSlots
                                     : op::kBlockSlots);
    // A panel of unpacked weights fits into the buffers of L1, each of which has a multiple of 64
    // rows.
    const uint32_t rowsPerBuffer = op::kUnpackBufferBytes / t.many.cols / 64 * 64;
    CHECK(!unpacks || t.unpackK <= op::kUnpackBuffers * rowsPerBuffer);
    CHECK(t.stepK > 0 && t.stepK <= t.k && t.stepK % 64 == 0);
    CHECK(!unpacks || t.stepK == t.k);  // tiles are not divided
    CHECK(t.splitRows >= 1 && t.splitRows <= 4095);
    CHECK(t.splitRows * t.k <= op::kSplitElems);
    CHECK(op::kSplitElems * op::kSplitUbBytesPerElem <= planned.ubBytes);
    const uint64_t cubes = planned.node->result.blockDim;
    CHECK_EQ(cubes, static_cast<uint64_t>(planned.cores) / 2);
    CHECK_EQ(planned.node->result.scheduleMode, 1u);
    const uint64_t system = 16u << 20;
    const uint64_t slots = cubes * (uint64_t{t.blockSlots} * op::kSlotBytes + 2 * op::kNoticeBytes);
    const uint64_t operand = t.unpackK != 0
                                 ? cubes * op::kUnpackSlots * op::kUnpackSlotBytes
                                 : static_cast<uint64_t>(sizes.rows) * 2 * op::DigitPitch(t.k);
    CHECK_EQ(planned.node->result.workspaces[0], system + slots + operand);
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

TEST(NoPanelIsNarrow) {
    const struct {
        int64_t cols;
        uint32_t tail;
        uint32_t tailCols;
    } cases[] = {{72, 0, 72},    {1000, 0, 1000}, {1024, 1024, 0},
                 {1280, 0, 768}, {7168, 7168, 0}, {7176, 6144, 520}};
    for (const auto& each : cases) {
        const op::Panels panels = Plan({32, 32, 2048, each.cols, 8}).tiling.few;
        CHECK_EQ(panels.tail, each.tail);
        CHECK_EQ(panels.tailCols, each.tailCols);
    }
}

TEST(LongWeightsHaveNarrowPanels) {
    for (const auto& each : {std::make_pair(2048, 256u), std::make_pair(2112, 128u),
                             std::make_pair(4096, 128u), std::make_pair(4160, 256u)}) {
        CHECK_EQ(Plan({1, 500, each.first, 7168, 8}).tiling.many.cols, each.second);
    }
}

TEST(ManyRowsUnpackWeights) {
    // With a larger k, panels are narrower or k has several parts.
    const struct {
        int64_t k;
        uint32_t unpackK, cols;
    } kCases[] = {{2048, 2048, 192}, {2112, 2112, 128}, {3072, 3072, 128}, {4096, 2048, 192}};
    for (const auto& each : kCases) {
        const TilingData tiling = Plan({8, 16384, each.k, 7168, 2048}).tiling;
        CHECK_EQ(tiling.unpackK, each.unpackK);
        CHECK_EQ(tiling.many.cols, each.cols);
    }
    CHECK_EQ(Plan({8, 8 * 1024, 2048, 7168, 2048}).tiling.unpackK, 2048u);
    CHECK_EQ(Plan({8, 8 * 1024 - 1, 2048, 7168, 2048}).tiling.unpackK, 0u);
    CHECK_EQ(Plan({8, 8 * 1408, 2112, 7168, 2048}).tiling.unpackK, 2112u);
    CHECK_EQ(Plan({8, 8 * 1408 - 1, 2112, 7168, 2048}).tiling.unpackK, 0u);
    CHECK(Plan({8, 8 * 640, 4160, 7168, 2048}).tiling.unpackK != 0);
    CHECK_EQ(Plan({8, 8 * 640 - 1, 4160, 7168, 2048}).tiling.unpackK, 0u);
    CHECK_EQ(Plan({256, 16384, 2048, 7168, 2048}).tiling.unpackK, 0u);
}

TEST(TilesAreSmallerIfSeveralCoresShareEach) {
    const TilingData shared = Plan({1, 64, 1024, 2816, 8}).tiling;
    CHECK_EQ(shared.fewRows, op::kFewRows / 2);
    CHECK_EQ(shared.wholeRows, op::kSomeRows);
    for (const Sizes& sizes :
         {Sizes{1, 64, 1024, 2824, 8}, Sizes{2, 64, 1024, 2816, 8}, Sizes{1, 64, 2304, 2816, 8}}) {
        const TilingData whole = Plan(sizes).tiling;
        CHECK_EQ(whole.fewRows, op::kFewRows);
        CHECK_EQ(whole.wholeRows, op::kTileRows);
    }
    CHECK_EQ(Plan({256, 1, 1024, 2816, 1}).tiling.wholeRows, op::kSomeRows);  // one has the row
}

TEST(FewCoresShareEachTile) {
    const struct {
        Sizes sizes;
        uint32_t few, some, stepK;
    } cases[] = {
        {{1, 1, 2048, 7168, 1}, 1024, 512, 64},  // weights take longer than sums
        {{1, 16, 4096, 2048, 8}, 256, 256, 64},     {{4, 4, 2048, 2048, 4}, 1024, 512, 64},
        {{1, 1, 1024, 1024, 1}, 256, 256, 256},     {{1, 64, 4096, 264, 8}, 256, 256, 1024},
        {{1, 1, 18432, 72, 1}, 256, 256, 4608},     {{256, 1, 18432, 72, 1}, 256, 256, 4608},
        {{256, 256, 2048, 7168, 8}, 1024, 512, 64}, {{1, 1, 320, 72, 1}, 256, 256, 128},
        {{1, 1, 256, 7168, 1}, 512, 512, 256},      {{8, 8, 192, 72, 1}, 1024, 512, 192},
    };
    for (const auto& each : cases) {
        const TilingData tiling = Plan(each.sizes).tiling;
        CHECK_EQ(tiling.few.cols, each.few);
        CHECK_EQ(tiling.some.cols, each.some);
        CHECK_EQ(tiling.stepK, each.stepK);
    }
}

TEST(VectorCoresLoadWeightsWhereReadsOfTheCubeCoresAreShort) {
    CHECK_EQ(Plan({1, 16, 2048, 7168, 8}).tiling.prefetch, 0u);
    CHECK_EQ(Plan({1, 17, 2048, 7168, 8}).tiling.prefetch, 1u);
    CHECK_EQ(Plan({1, 16, 2048, 7176, 8}).tiling.prefetch, 1u);
    CHECK_EQ(Plan({1, 16, 192, 72, 8}).tiling.prefetch, 0u);
    CHECK_EQ(Plan({1, 4096, 2048, 7168, 8}).tiling.prefetch, 0u);
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
