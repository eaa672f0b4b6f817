// SPDX-License-Identifier: Apache-2.0
// Tests of MoeTokenPermuteWithRoutingMap's tiling and inference, for several SoCs and for calls
// that must be refused.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "moe_token_permute_with_routing_map_tiling.h"
#include "plan.h"

using twin::host::OpNode;

namespace op = ops::MoeTokenPermuteWithRoutingMapOp;

namespace {

using TilingData = MoeTokenPermuteWithRoutingMapTilingData;

const std::vector<int64_t> kContiguous = {0};

struct Call {
    Dims tokens;
    Dims map;
    Dims probs;  ///< empty if the call has no probs
    int64_t numOutTokens;
    bool pad;
    Dims permuteTokens;
    Dims permuteProbs;
    Dims indices;
    ge::DataType dtype = ge::DT_BF16;
    std::vector<int64_t> tokenStrides = kContiguous;
    std::vector<int64_t> probStrides = kContiguous;
    std::vector<int64_t> indexStrides = kContiguous;
};

Call Make(int64_t tokens, int64_t experts, int64_t hidden, int64_t slots, bool pad,
          ge::DataType dtype = ge::DT_BF16) {
    const int64_t rows = slots * (pad ? experts : tokens);
    return {{tokens, hidden},
            {tokens, experts},
            {tokens, experts},
            rows,
            pad,
            {rows, hidden},
            {rows},
            {rows},
            dtype};
}

std::unique_ptr<OpNode> NodeOf(const Call& call, const char* soc) {
    std::unique_ptr<OpNode> node = MakeNode<TilingData>("MoeTokenPermuteWithRoutingMap", soc);
    node->AddInput(call.tokens, call.dtype, ge::FORMAT_ND);
    node->AddInput(call.map, ge::DT_INT8, ge::FORMAT_ND);
    if (call.probs.empty()) {
        node->AddAbsentInput();
    } else {
        node->AddInput(call.probs, call.dtype, ge::FORMAT_ND);
    }
    node->AddOutput(call.permuteTokens, call.dtype, ge::FORMAT_ND);
    if (call.permuteProbs.empty()) {
        node->AddAbsentOutput();
    } else {
        node->AddOutput(call.permuteProbs, call.dtype, ge::FORMAT_ND);
    }
    node->AddOutput(call.indices, ge::DT_INT32, ge::FORMAT_ND);
    node->Attrs().Add(call.numOutTokens);
    node->Attrs().Add(call.pad);
    node->Attrs().Add(call.tokenStrides);
    node->Attrs().Add(call.probStrides);
    node->Attrs().Add(call.indexStrides);
    return node;
}

Planned<TilingData> Plan(const Call& call, const char* soc = "Ascend910B2") {
    return PlanNode<TilingData>(NodeOf(call, soc));
}

bool Refused(const Call& call) { return !Plan(call).ok; }

template <typename Change>
bool RefusedWhen(bool pad, Change change) {
    Call call = Make(6, 4, 8, 2, pad);
    CHECK(!Refused(call));
    change(&call);
    return Refused(call);
}

/// Returns the UB bytes of ExpertRuns with the tile of a plan.
int64_t RunBytes(const TilingData& t, uint32_t elemBytes) {
    int64_t bytes = op::RunBytes(t.runRows, t.runCols, t.tileCols, t.pieceRows,
                                 t.hasProbs != 0 ? elemBytes : 0);
    if (t.packedRows != 0) {
        bytes += op::PackedTokenBytes(t.runRows, t.pieceRows, static_cast<uint32_t>(t.hidden),
                                      elemBytes);
    } else if (t.rowBlocks != 0) {
        bytes += op::RunTokenBytes(t.runRows, t.pieceRows, t.rowBlocks);
    }
    return bytes;
}

void CheckRuns(const TilingData& t) {
    CHECK(t.runRows >= 32 && t.runRows <= op::kMaxRunRows && t.runRows % 32 == 0);
    // Tiles have a power of two of experts, and numbers of elements fit into 15 bits.
    CHECK(t.runCols >= 32 && (t.runCols & (t.runCols - 1)) == 0 && t.countPitch % t.runCols == 0);
    CHECK((t.runRows + op::kFillRows) * t.runCols <= 32767);
    CHECK(t.pieceRows >= 64 && t.pieceRows % 64 == 0);
    // Strides of blocks fit into 8 bits, and a row of tokens has a supported number of blocks.
    CHECK(t.rowBlocks <= 2 || t.rowBlocks == 4 || (t.rowBlocks % 8 == 0 && t.rowBlocks < 256));
    CHECK(t.rowBlocks == 0 || t.packedRows != 0 || t.pieceRows * t.rowBlocks <= 255u * 64);
}

/// Checks that the phases of a block fit into UB in non-pad mode.
void CheckUb(const TilingData& t, int64_t ubBytes, uint32_t elemBytes) {
    const int64_t count = op::CountBytes(t.countElems, static_cast<uint32_t>(t.countPitch));
    CHECK(t.readsWholeMap == 0 || count <= ubBytes);
    int64_t used =
        op::PlacementBytes(t.tileElems, t.tileCols, t.tileRows * static_cast<uint32_t>(t.slots));
    const int64_t scan = t.readsWholeMap != 0 ? count
                                              : op::ScanBytes(t.parts, t.scanChunk,
                                                              static_cast<uint32_t>(t.countPitch));
    CHECK(t.experts > t.tileCols || scan <= ubBytes);
    CHECK(t.scanChunk % 32 == 0 && t.scanChunk <= t.countPitch);
    // Blocks that exchange counts read them in chunks, if all experts fit into a tile.
    CHECK_EQ(t.scanChunk != 0, t.readsWholeMap == 0 && t.experts <= t.tileCols);
    used += t.keepsPositions != 0 ? scan : 0;
    if (t.rowBlocks != 0) {
        CHECK(used <= ubBytes);
        CHECK(RunBytes(t, elemBytes) + op::kStageBytes + 4 * t.tileCols <= ubBytes);
        CHECK(t.colParts == 1);
        return;
    }
    if (t.hasProbs != 0) {
        used += t.runCols != 0 ? RunBytes(t, elemBytes) : op::EachProbBytes(t.tileElems, elemBytes);
    }
    CHECK(used + 2 * t.rowBytes <= ubBytes);
}

void CheckPlan(const Call& call, const char* soc) {
    const Planned<TilingData> planned = Plan(call, soc);
    CHECK(planned.ok);
    const TilingData& t = planned.tiling;
    const int64_t blocks = planned.node->result.blockDim;
    const auto ubBytes = static_cast<int64_t>(planned.ubBytes);
    const uint32_t elemBytes = call.dtype == ge::DT_FLOAT ? 4 : 2;
    CHECK_EQ(t.outRows, call.numOutTokens);
    CHECK_EQ(t.countPitch, (t.experts + 31) / 32 * 32);
    CHECK(blocks >= 1 && blocks <= planned.cores);
    CHECK_EQ(planned.node->result.scheduleMode, 1u);
    CHECK(t.rowsInL2 >= 0 && t.rowsInL2 <= t.outRows);
    // Parts of a row cover all columns and start at multiples of 512 B. A block computes one part.
    CHECK(t.colsPerPart * t.colParts >= t.hidden && t.colsPerPart * (t.colParts - 1) < t.hidden);
    CHECK_EQ(t.colsPerPart * elemBytes % 512, 0);
    CHECK(static_cast<int64_t>(t.rowParts) * t.colParts <= blocks);
    CHECK(t.rowBytes >= 512 && t.rowBytes % 512 == 0);
    const uint64_t system = 16u << 20;
    const uint64_t counters = t.parts * t.countPitch * 4 + blocks * 32;
    if (call.pad) {
        CHECK(t.parts <= std::max<int64_t>(1, (t.tokens + 255) / 256));
        CHECK(op::GatherBytes() + 2 * t.rowBytes <= ubBytes);
        CheckRuns(t);
        const uint32_t count = t.readsWholeMap != 0 ? op::CountBytes(t.countElems, op::kGroup) : 0;
        CHECK(RunBytes(t, elemBytes) + op::PartitionBytes(t.parts, t.pieceRows,
                                                          t.hasProbs != 0 ? elemBytes : 0, count) <=
              ubBytes);
        CHECK(planned.node->result.workspaces[0] >= system + counters + 4 * t.outRows);
        return;
    }
    CHECK_EQ(t.parts, t.rowParts);
    CHECK(t.scanCols % 8 == 0 && t.scanCols * blocks >= t.countPitch);
    // Tiles fit into their buffers, and an index of an element in a tile fits into 15 bits.
    CHECK(t.tileElems <= 32767 && t.tileElems % 128 == 0 && t.tileCols % 32 == 0);
    CHECK(t.tileRows >= 1 && t.tileRows <= 255 && t.tileRows * t.tileCols <= t.tileElems);
    CHECK(t.tileCols >= t.experts || (t.colParts == 1 && t.rowBlocks == 0));
    if (t.runCols != 0) {
        CheckRuns(t);
    }
    CheckUb(t, ubBytes, elemBytes);
    CHECK_EQ(planned.node->result.workspaces[0], system + counters + blocks * t.countPitch * 4);
}

}  // namespace

TEST(PlansCoverEverythingAndFit) {
    for (const char* soc : {"Ascend910B2", "Ascend910B4"}) {
        for (ge::DataType dtype : {ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT}) {
            for (int64_t tokens : {1, 3, 47, 97, 4096, 32000, 16777214}) {
                for (int64_t experts : {1, 8, 33, 128, 512, 2048, 2049, 4096, 4097, 100000}) {
                    for (int64_t hidden : {1, 64, 2048, 7168, 7169, 300000}) {
                        const int64_t slots = std::min<int64_t>(experts, tokens < 30000 ? 512 : 1);
                        CheckPlan(Make(tokens, experts, hidden, std::min(slots, int64_t{512}),
                                       tokens >= 16777214 || slots * tokens >= 16777215, dtype),
                                  soc);
                        CheckPlan(
                            Make(tokens, experts, hidden, std::min(tokens, slots), true, dtype),
                            soc);
                    }
                }
            }
        }
    }
}

TEST(EveryCoreHasWork) {
    for (const char* soc : kSocs) {
        for (bool pad : {false, true}) {
            const Planned<TilingData> many = Plan(Make(4096, 128, 2048, pad ? 256 : 8, pad), soc);
            CHECK_EQ(many.node->result.blockDim, many.cores);
            // If there are few long rows, blocks share the columns, in multiples of 512 B.
            const Planned<TilingData> few = Plan(Make(2, 1, 256 * 400, 1, pad), soc);
            CHECK(few.node->result.blockDim > 2);
        }
        // If there are few experts, each core handles all experts for one range of tokens.
        const Planned<TilingData> pad = Plan(Make(100000, 8, 64, 1000, true), soc);
        CHECK_EQ(pad.tiling.parts, pad.cores);
    }
}

TEST(LittleWorkGetsFewBlocks) {
    for (bool pad : {false, true}) {
        int64_t before = 0;
        for (int64_t hidden : {64, 4096, 65536, 1000000}) {
            const int64_t blocks = Plan(Make(64, 8, hidden, 2, pad)).node->result.blockDim;
            CHECK(blocks >= before);
            before = blocks;
        }
        CHECK(Plan(Make(64, 8, 64, 2, pad)).node->result.blockDim < 16);
        CHECK_EQ(before, 48);
    }
}

TEST(OnlySmallMapsAreCountedByEveryBlock) {
    CHECK_EQ(Plan(Make(384, 256, 64, 8, false)).tiling.readsWholeMap, 1u);
    CHECK_EQ(Plan(Make(385, 256, 64, 8, false)).tiling.readsWholeMap, 0u);
    CHECK_EQ(Plan(Make(8, 4097, 64, 8, false)).tiling.readsWholeMap, 0u);
    CHECK_EQ(Plan(Make(3072, 256, 64, 8, true)).tiling.readsWholeMap, 1u);
    CHECK_EQ(Plan(Make(3073, 256, 64, 8, true)).tiling.readsWholeMap, 0u);
}

TEST(ShortRowsAreMovedInRuns) {
    CHECK_EQ(Plan(Make(4800, 8, 64, 2, false)).tiling.rowBlocks, 4u);
    CHECK_EQ(Plan(Make(4800, 8, 100, 2, false)).tiling.rowBlocks, 8u);
    CHECK_EQ(Plan(Make(4800, 8, 64, 2, false)).tiling.packedRows, 0u);
    CHECK_EQ(Plan(Make(4800, 8, 1, 2, false)).tiling.packedRows, 1u);
    CHECK_EQ(Plan(Make(4800, 8, 2048, 2, false)).tiling.rowBlocks, 0u);
    Call strided = Make(4800, 8, 64, 2, false);
    strided.tokenStrides = {128, 2};
    CHECK_EQ(Plan(strided).tiling.rowBlocks, 0u);
    strided = Make(4800, 8, 1, 2, false);
    strided.tokenStrides = {8, 1};
    CHECK_EQ(Plan(strided).tiling.packedRows, 0u);
}

TEST(OutputsBypassL2OnlyIfTheyDoNotFit) {
    for (bool pad : {false, true}) {
        const TilingData fits = Plan(Make(4096, 128, 2048, 8, pad)).tiling;
        CHECK_EQ(fits.rowsInL2, fits.outRows);
        CHECK_EQ(fits.readsPastL2, 0u);
        const TilingData large = Plan(Make(8192, 256, 7168, pad ? 256 : 8, pad)).tiling;
        CHECK(large.rowsInL2 > 0 && large.rowsInL2 < large.outRows / 4);
        // Pad mode reads a token several times.
        CHECK_EQ(large.readsPastL2, pad ? 0u : 1u);
    }
}

TEST(RoundsTheRowsDown) {
    Call call = Make(6, 4, 8, 2, false);
    call.numOutTokens = 17;
    CHECK_EQ(Plan(call).tiling.outRows, 12);
    call = Make(6, 4, 8, 2, true);
    call.numOutTokens = 11;
    CHECK_EQ(Plan(call).tiling.outRows, 8);
    CHECK_EQ(Plan(call).tiling.slots, 2);
}

TEST(TellsTheModes) {
    CHECK_EQ(Plan(Make(6, 4, 8, 2, false)).node->result.tilingKey,
             uint64_t{MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_KEY_COMPACT});
    CHECK_EQ(Plan(Make(6, 4, 8, 2, true)).node->result.tilingKey,
             uint64_t{MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_KEY_PAD});
    Call call = Make(6, 4, 8, 2, false);
    CHECK_EQ(Plan(call).tiling.hasProbs, 1u);
    call.probs.clear();
    call.permuteProbs.clear();
    CHECK_EQ(Plan(call).tiling.hasProbs, 0u);
}

TEST(PassesStridesOn) {
    Call call = Make(6, 4, 8, 2, false);
    CHECK_EQ(Plan(call).tiling.rowStride, 8);
    CHECK_EQ(Plan(call).tiling.colStride, 1);
    call.tokenStrides = {3, 100};
    call.probStrides = {5};
    call.indexStrides = {7};
    const TilingData t = Plan(call).tiling;
    CHECK_EQ(t.rowStride, 3);
    CHECK_EQ(t.colStride, 100);
    CHECK_EQ(t.probStride, 5);
    CHECK_EQ(t.indexStride, 7);
    // Strides of dimensions of length 1 have no effect.
    call = Make(6, 4, 1, 2, false);
    call.tokenStrides = {3, 100};
    CHECK_EQ(Plan(call).tiling.colStride, 1);
}

TEST(RefusesWhatItsTableSays) {
    for (bool pad : {false, true}) {
        CHECK(RefusedWhen(pad, [](Call* c) { c->tokens = {7, 8}; }));
        CHECK(RefusedWhen(pad, [](Call* c) { c->tokens = {6, 8, 1}; }));
        CHECK(RefusedWhen(pad, [](Call* c) { c->map = {6}; }));
        CHECK(RefusedWhen(pad, [](Call* c) { c->probs = {6, 5}; }));
        CHECK(RefusedWhen(pad, [](Call* c) { c->probs = {24}; }));
        CHECK(RefusedWhen(pad, [](Call* c) { c->numOutTokens = -1; }));
        CHECK(RefusedWhen(pad, [](Call* c) { c->numOutTokens = 25; }));
        CHECK(RefusedWhen(pad, [](Call* c) { c->numOutTokens = 0; }));
        CHECK(RefusedWhen(pad, [](Call* c) { c->permuteTokens[0] -= 1; }));
        CHECK(RefusedWhen(pad, [](Call* c) { c->permuteTokens[1] = 9; }));
        CHECK(RefusedWhen(pad, [](Call* c) { c->permuteProbs[0] += 1; }));
        CHECK(RefusedWhen(pad, [](Call* c) { c->permuteProbs.clear(); }));
        CHECK(RefusedWhen(pad, [](Call* c) { c->indices[0] += 1; }));
        CHECK(RefusedWhen(pad, [](Call* c) { c->tokenStrides = {8}; }));
        CHECK(RefusedWhen(pad, [](Call* c) { c->indexStrides = {-1}; }));
    }
    CHECK(!Refused(Make(10, 600, 8, 512, false)));
    CHECK(Refused(Make(10, 600, 8, 513, false)));
    CHECK(!Refused(Make(600, 600, 8, 513, true)));
    CHECK(!Refused(Make(16777214, 1, 1, 1, false)));
    CHECK(Refused(Make(16777215, 1, 1, 1, false)));
    CHECK(Refused(Make(16777214 / 2 + 1, 2, 1, 2, false)));
    CHECK(!Refused(Make(16777214, 2, 1, 16777214, true)));
}

TEST(InfersShapes) {
    const struct {
        Dims tokens;
        Dims map;
        int64_t numOutTokens;
        bool pad;
        gert::Shape expected;
    } cases[] = {
        {{4, 2}, {4, 3}, 9, false, gert::Shape({8, 2})},
        {{4, 2}, {4, 3}, 8, true, gert::Shape({6, 2})},
        {{0, 2}, {0, 3}, 0, false, gert::Shape({0, 2})},
        {{4, 2}, {4, 0}, 0, true, gert::Shape({0, 2})},
        {{-1, 2}, {-1, 3}, 8, false, gert::Shape({-1, 2})},
        {{-1, 2}, {-1, 3}, 8, true, gert::Shape({6, 2})},
        {{-2}, {-2}, 8, true, gert::Shape({-1, -1})},
    };
    for (const auto& each : cases) {
        const Call call = {each.tokens, each.map, {4, 3}, each.numOutTokens, each.pad, {}, {4}, {}};
        const std::unique_ptr<OpNode> node = NodeOf(call, "Ascend910B2");
        std::string error;
        CHECK_EQ(RunInferShape(node.get(), &error), ge::GRAPH_SUCCESS);
        CHECK(*node->InferShape()->GetOutputShape(0) == each.expected);
        const gert::Shape rows({each.expected.GetDim(0)});
        CHECK(*node->InferShape()->GetOutputShape(1) == rows);
        CHECK(*node->InferShape()->GetOutputShape(2) == rows);
    }
}

TEST(InfersDtypes) {
    for (ge::DataType dtype : {ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT}) {
        const std::unique_ptr<OpNode> node = NodeOf(Make(3, 2, 4, 1, false, dtype), "Ascend910B2");
        std::string error;
        CHECK_EQ(RunInferDataType(node.get(), &error), ge::GRAPH_SUCCESS);
        const gert::InferDataTypeContext* context = node->InferDataType();
        CHECK_EQ(static_cast<int>(context->GetOutputDataType(0)), static_cast<int>(dtype));
        CHECK_EQ(static_cast<int>(context->GetOutputDataType(1)), static_cast<int>(dtype));
        CHECK_EQ(static_cast<int>(context->GetOutputDataType(2)), static_cast<int>(ge::DT_INT32));
    }
}

int main(int argc, char** argv) { return check::RunTests(argc, argv); }
