// SPDX-License-Identifier: Apache-2.0
// Tests of MoeInitRoutingV2Grad's tiling and inference, also for calls that must be refused.
#include <algorithm>
#include <memory>
#include <string>

#include "moe_init_routing_v2_grad_tiling.h"
#include "plan.h"

using twin::host::OpNode;
using TilingData = MoeInitRoutingV2GradTilingData;

namespace op = ops::MoeInitRoutingV2GradOp;

namespace {

struct Call {
    Dims grad;
    Dims index;
    Dims out;
    int64_t topK;
    int64_t dropPadMode = 0;
    int64_t activeNum = 0;
    ge::DataType dtype = ge::DT_FLOAT16;
};

Call Dropless(int64_t tokens, int64_t slots, int64_t cols, ge::DataType dtype = ge::DT_FLOAT16) {
    return {{tokens * slots, cols}, {tokens * slots}, {tokens, cols}, slots, 0, 0, dtype};
}

std::unique_ptr<OpNode> NodeOf(const Call& call, const char* soc) {
    std::unique_ptr<OpNode> node = MakeNode<TilingData>("MoeInitRoutingV2Grad", soc);
    node->AddInput(call.grad, call.dtype, ge::FORMAT_ND);
    node->AddInput(call.index, ge::DT_INT32, ge::FORMAT_ND);
    node->AddOutput(call.out, call.dtype, ge::FORMAT_ND);
    node->Attrs().Add(call.topK);
    node->Attrs().Add(call.dropPadMode);
    node->Attrs().Add(call.activeNum);
    return node;
}

Planned<TilingData> Plan(const Call& call, const char* soc = "Ascend910B2") {
    return PlanNode<TilingData>(NodeOf(call, soc));
}

bool Refused(const Call& call) { return !Plan(call).ok; }

/// Returns the bytes of UB that the kernel allocates.
uint64_t UbBytes(const TilingData& t, ge::DataType dtype) {
    const uint64_t elemBytes = dtype == ge::DT_FLOAT ? 4 : 2;
    const uint64_t indexBytes = uint64_t{t.indexElems} * 4;
    if (t.slots == 1) {
        return indexBytes + op::kCopyBuffers * t.tileElems * elemBytes;
    }
    const uint64_t step = uint64_t{t.tileElems} * t.slotsPerStep + t.gapElems;
    const uint64_t floats = elemBytes == 2 ? step + (t.stepsPerTile > 1 ? t.tileElems : 0) : 0;
    return indexBytes + op::kSumBuffers * (step + t.tileElems) * elemBytes + floats * 4;
}

void CheckPlan(const Call& call, const char* soc) {
    const Planned<TilingData> planned = Plan(call, soc);
    CHECK(planned.ok);
    const TilingData& t = planned.tiling;
    const int64_t block = call.dtype == ge::DT_FLOAT ? 8 : 16;
    CHECK_EQ(t.slots, call.topK);
    CHECK_EQ(t.tokens, call.out[0]);
    CHECK_EQ(t.cols, call.out[1]);
    // The tiles cover the output once, and the steps cover every copy (slot) of a token.
    const int64_t tokenTiles = (t.tokens + t.tokensPerTile - 1) / t.tokensPerTile;
    CHECK_EQ(t.colTiles, (t.cols + t.colsPerTile - 1) / t.colsPerTile);
    CHECK_EQ(t.tiles, tokenTiles * t.colTiles);
    CHECK_EQ(t.stepsPerTile, (t.slots + t.slotsPerStep - 1) / t.slotsPerStep);
    CHECK(t.tokensPerTile == 1 || t.colTiles == 1);
    CHECK(t.colTiles == 1 || t.colsPerTile % (16 * block) == 0);
    CHECK(t.slots == 1 || t.slotsPerStep >= 2);
    // Rows, gaps and indices fit into UB.
    const int64_t pitch = (t.colsPerTile + block - 1) / block * block;
    CHECK(t.tileElems >= t.tokensPerTile * pitch);
    CHECK(t.tileElems < t.tokensPerTile * pitch + t.rowUnit);
    CHECK_EQ(t.tileElems % t.rowUnit, 0u);
    // The banks of UB repeat every 128 floats. Rows are a multiple of 128 floats apart if they fit.
    CHECK(t.rowUnit == 128 || (t.rowUnit == block && t.slotsPerStep > 90));
    CHECK_EQ(t.gapElems > 0, t.rowUnit == 128 && t.slots > 1);
    CHECK_EQ(t.gapElems % 128, 0u);
    CHECK(UbBytes(t, call.dtype) <= planned.ubBytes);
    CHECK((t.tokensPerTile - 1) * t.slots + t.slotsPerStep <= t.indexElems);
    CHECK(t.tokensPerTile <= 4095);
    // Indices of a single slot are read in pairs.
    CHECK(t.slots > 1 || t.tokensPerTile == 1 || t.tokensPerTile % 2 == 0);
    const int64_t blocks = planned.node->result.blockDim;
    CHECK(blocks >= 1 && blocks <= std::min(t.tiles, planned.cores));
    CHECK_EQ(planned.node->result.workspaceCount, 1u);
    CHECK_EQ(planned.node->result.workspaces[0], 0u);
}

}  // namespace

TEST(TilesCoverEverythingAndFit) {
    for (const char* soc : {"Ascend910B2", "Ascend910B4"}) {
        for (ge::DataType dtype : {ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT}) {
            for (int64_t tokens : {1, 3, 47, 97, 4096, 1000003}) {
                for (int64_t slots : {1, 2, 3, 8, 9, 40, 129, 300, 2049, 5000}) {
                    for (int64_t cols : {1, 8, 17, 512, 2048, 7168, 7169, 20000, 300000}) {
                        CheckPlan(Dropless(tokens, slots, cols, dtype), soc);
                    }
                }
            }
        }
    }
}

TEST(OrderOfSummationDoesNotDependOnTheChip) {
    for (int64_t slots : {2, 8, 12, 64, 129, 5000}) {
        for (int64_t cols : {8, 512, 2048, 7169}) {
            const Call call = Dropless(100, slots, cols, ge::DT_BF16);
            const uint32_t expected = Plan(call).tiling.slotsPerStep;
            for (const char* soc : kSocs) {
                CHECK_EQ(Plan(call, soc).tiling.slotsPerStep, expected);
            }
            CHECK_EQ(Plan(Dropless(1, slots, cols, ge::DT_BF16)).tiling.slotsPerStep, expected);
        }
    }
}

TEST(EveryCoreHasWorkIfThereIsMuch) {
    for (const char* soc : kSocs) {
        const Planned<TilingData> many = Plan(Dropless(4096, 8, 2048, ge::DT_BF16), soc);
        CHECK_EQ(many.node->result.blockDim, many.cores);
        const Planned<TilingData> shortRows = Plan(Dropless(100000, 8, 16, ge::DT_BF16), soc);
        CHECK(shortRows.node->result.blockDim > many.cores * 9 / 10);
        CHECK(shortRows.tiling.tokensPerTile > 16);
        // If there are few tokens, the cores share the columns, in multiples of 512 B.
        const Planned<TilingData> few = Plan(Dropless(2, 8, 7168, ge::DT_BF16), soc);
        CHECK(few.tiling.colTiles > 1 && few.node->result.blockDim > 2);
        const Planned<TilingData> one = Plan(Dropless(1, 2, 24000 * 256, ge::DT_BF16), soc);
        CHECK(one.node->result.blockDim > one.cores * 9 / 10);
    }
}

TEST(FewBlocksStartIfThereIsLittle) {
    CHECK_EQ(Plan(Dropless(1, 8, 64, ge::DT_BF16)).node->result.blockDim, 1u);
    const uint32_t some = Plan(Dropless(64, 2, 4096, ge::DT_BF16)).node->result.blockDim;
    CHECK(some > 8 && some < 48);
}

TEST(RowsBypassL2IfNotAllFits) {
    const TilingData fits = Plan(Dropless(4096, 8, 2048, ge::DT_BF16)).tiling;
    CHECK_EQ(fits.readsPastL2, 0u);
    CHECK_EQ(fits.tilesThroughL2, fits.tiles);
    // The output alone fits.
    const TilingData output = Plan(Dropless(8192, 8, 7168, ge::DT_BF16)).tiling;
    CHECK_EQ(output.readsPastL2, 1u);
    CHECK_EQ(output.tilesThroughL2, output.tiles);
    const TilingData part = Plan(Dropless(65536, 1, 4096, ge::DT_BF16)).tiling;
    CHECK_EQ(part.readsPastL2, 1u);
    CHECK(part.tilesThroughL2 > 0 && part.tilesThroughL2 < part.tiles / 48);
}

TEST(RealWorkloadsLoadWholeRows) {
    for (const Call& call :
         {Dropless(4096, 8, 2048, ge::DT_BF16), Dropless(8192, 8, 7168, ge::DT_BF16),
          Dropless(64, 2, 4096, ge::DT_BF16), Dropless(8192, 8, 7168, ge::DT_FLOAT)}) {
        CHECK_EQ(Plan(call).tiling.colTiles, 1);
    }
    CHECK_EQ(Plan(Dropless(4096, 8, 2048, ge::DT_BF16)).tiling.stepsPerTile, 1);
    CHECK_EQ(Plan(Dropless(8192, 8, 7168, ge::DT_BF16)).tiling.stepsPerTile, 4);
    CHECK_EQ(Plan(Dropless(8192, 64, 7168, ge::DT_BF16)).tiling.stepsPerTile, 8);
}

TEST(RowsThatCount) {
    const Call active = {{40, 512}, {640}, {10, 512}, 64, 0, 40};
    CHECK_EQ(Plan(active).tiling.rows, 40);
    const Call dropPad = {{10, 8, 512}, {640}, {80, 512}, 8, 1, 7};
    CHECK_EQ(Plan(dropPad).tiling.rows, 80);
    for (const Dims& grad : {Dims{0, 8, 512}, Dims{10, 0, 512}}) {
        const Planned<TilingData> empty = Plan({grad, {640}, {80, 512}, 8, 1});
        CHECK(empty.ok);
        CHECK_EQ(empty.tiling.rows, 0);
    }
}

TEST(RefusesWhatItsTableSays) {
    CHECK(!Refused({{6, 2}, {6}, {3, 2}, 2}));
    CHECK(Refused({{6, 2}, {6}, {3, 2}, 0}));
    CHECK(Refused({{6, 2}, {6}, {3, 2}, -2}));
    CHECK(Refused({{6, 2}, {6}, {3, 2}, 2, 2}));
    CHECK(Refused({{6, 2}, {6}, {3, 2}, 2, -1}));
    CHECK(Refused({{6, 2}, {6}, {3, 2}, 2, 0, -1}));
    CHECK(Refused({{6, 1, 2}, {6}, {3, 2}, 2, 1, -1}));
    CHECK(Refused({{2}, {6}, {3, 2}, 2}));
    CHECK(Refused({{6, 1, 1, 2}, {6}, {3, 2}, 2, 1}));
    CHECK(Refused({{6, 1, 2}, {6}, {3, 2}, 2, 0}));
    CHECK(Refused({{6, 2}, {6}, {3, 2}, 2, 1}));
    CHECK(Refused({{6, 2}, {3, 2}, {3, 2}, 2}));
    CHECK(Refused({{6, 2}, {}, {3, 2}, 2}));
    CHECK(Refused({{5, 2}, {6}, {3, 2}, 2}));
    CHECK(Refused({{6, 2}, {6}, {3, 2}, 2, 0, 5}));
    CHECK(!Refused({{5, 2}, {6}, {3, 2}, 2, 0, 5}));
    CHECK(Refused({{6, 2}, {6}, {3, 3}, 2}));
    CHECK(Refused({{6, 2}, {6}, {2, 2}, 2}));
    CHECK(Refused({{6, 2}, {6}, {6}, 2}));
    CHECK(Refused({{6, 2}, {6}, {3, 2, 1}, 2}));
    CHECK(Refused({{7, 2}, {7}, {3, 2}, 2}));
    CHECK(Refused({{0, 2}, {0}, {0, 2}, 2}));
    CHECK(Refused({{6, 0}, {6}, {3, 0}, 2}));
    CHECK(Refused({{0, 5, 0}, {6}, {3, 0}, 2, 1}));
    CHECK(Refused({{0, 2}, {6}, {3, 2}, 2}));
}

TEST(InfersTheShapeOfTheTokens) {
    const struct {
        Call call;
        bool ok;
        gert::Shape expected;
    } cases[] = {
        {{{6, 2}, {6}, {}, 2}, true, gert::Shape({3, 2})},
        {{{10, 8, 512}, {640}, {}, 8, 1}, true, gert::Shape({80, 512})},
        {{{-1, 512}, {-1}, {}, 8}, true, gert::Shape({-1, 512})},
        {{{-1, -1}, {640}, {}, 8}, true, gert::Shape({80, -1})},
        {{{-2}, {-2}, {}, 8}, true, gert::Shape({-1, -1})},
        {{{-2}, {640}, {}, 8}, true, gert::Shape({80, -1})},
        {{{6, 2}, {7}, {}, 2}, false, gert::Shape()},
        {{{6, 2}, {6}, {}, 0}, false, gert::Shape()},
        {{{6}, {6}, {}, 2}, false, gert::Shape()},
        {{{6, 2}, {3, 2}, {}, 2}, false, gert::Shape()},
        {{{6, 2}, {6}, {}, 2, 2}, false, gert::Shape()},
        {{{6, 2}, {6}, {}, 2, 1}, false, gert::Shape()},
        {{{6, 2}, {6}, {}, 2, 0, -1}, false, gert::Shape()},
        {{{3, 2, 2}, {6}, {}, 2}, false, gert::Shape()},
        {{{-1, -1, -1}, {-1}, {}, 2, 1}, true, gert::Shape({-1, -1})},
    };
    for (const auto& each : cases) {
        const std::unique_ptr<OpNode> node = NodeOf(each.call, "Ascend910B2");
        std::string error;
        CHECK_EQ(RunInferShape(node.get(), &error) == ge::GRAPH_SUCCESS, each.ok);
        if (each.ok) {
            CHECK(*node->InferShape()->GetOutputShape(0) == each.expected);
        }
    }
}

TEST(InfersTheDtypeOfTheRows) {
    for (ge::DataType dtype : {ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT}) {
        const std::unique_ptr<OpNode> node = NodeOf(Dropless(3, 2, 4, dtype), "Ascend910B2");
        std::string error;
        CHECK_EQ(RunInferDataType(node.get(), &error), ge::GRAPH_SUCCESS);
        CHECK_EQ(static_cast<int>(node->InferDataType()->GetOutputDataType(0)),
                 static_cast<int>(dtype));
    }
}

int main(int argc, char** argv) { return check::RunTests(argc, argv); }
