// SPDX-License-Identifier: Apache-2.0
// Tests of NsaCompressGrad's tiling and inference, also for calls that must be refused.
#include <algorithm>
#include <memory>
#include <string>

#include "nsa_compress_grad_tiling.h"
#include "plan.h"

using twin::host::OpNode;
using TilingData = NsaCompressGradTilingData;

namespace op = ops::NsaCompressGradOp;

namespace {

struct Call {
    int64_t rows = 80;
    int64_t heads = 2;
    int64_t dim = 16;
    int64_t block = 32;
    int64_t stride = 16;
    Dims ends;             ///< ends of the sequences; empty if the call has none
    int64_t windows = -1;  ///< number of windows; -1: as many as the sequences have
    Dims inputGradStrides = {0};
    Dims weightGradStrides = {0};
    Dims weight;  ///< shape of weight; empty: the shape is (block, heads)
    ge::DataType dtype = ge::DT_FLOAT16;
};

int64_t WindowsOf(const Call& call, int64_t length) {
    return length < call.block ? 0 : (length - call.block) / call.stride + 1;
}

int64_t AllWindows(const Call& call) {
    if (call.windows >= 0) {
        return call.windows;
    }
    if (call.ends.empty()) {
        return WindowsOf(call, call.rows);
    }
    int64_t begin = 0;
    int64_t windows = 0;
    for (int64_t end : call.ends) {
        windows += WindowsOf(call, end - begin);
        begin = end;
    }
    return windows;
}

std::unique_ptr<OpNode> NodeOf(Call& call, const char* soc) {
    std::unique_ptr<OpNode> node = MakeNode<TilingData>("NsaCompressGrad", soc);
    const Dims weight = call.weight.empty() ? Dims{call.block, call.heads} : call.weight;
    node->AddInput({AllWindows(call), call.heads, call.dim}, call.dtype, ge::FORMAT_ND);
    node->AddInput({call.rows, call.heads, call.dim}, call.dtype, ge::FORMAT_ND);
    node->AddInput(weight, call.dtype, ge::FORMAT_ND);
    if (call.ends.empty()) {
        node->AddAbsentInput();
    } else {
        node->AddInput({static_cast<int64_t>(call.ends.size())}, ge::DT_INT64, ge::FORMAT_ND,
                       call.ends.data());
    }
    node->AddOutput({call.rows, call.heads, call.dim}, call.dtype, ge::FORMAT_ND);
    node->AddOutput(weight, call.dtype, ge::FORMAT_ND);
    node->Attrs().Add(call.block);
    node->Attrs().Add(call.stride);
    node->Attrs().Add(int64_t{0});
    node->Attrs().Add(std::string("TND"));
    node->Attrs().Add(call.inputGradStrides);
    node->Attrs().Add(call.weightGradStrides);
    return node;
}

Planned<TilingData> Plan(Call call, const char* soc = "Ascend910B2") {
    return PlanNode<TilingData>(NodeOf(call, soc));
}

/// Returns true if tiling refuses a correct call after `change` was applied to it.
template <typename Change>
bool Refused(Change change) {
    Call call;
    change(call);
    return !Plan(call).ok;
}

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Returns the sum of the sizes of all buffers that the kernel allocates in UB.
int64_t UbBytes(const TilingData& t) {
    const int64_t width = t.headsPerGroup * t.headDim;
    const int64_t weights = t.headsPerGroup * t.blockSize;
    const int64_t tiles = 2 * (t.rowsPerTile + t.windowsPerTile) * width * 2;
    const int64_t floats = t.windowsPerTile * width + weights * 64 + 2 * t.rowsPerTile * 64 + 64;
    const int64_t spread = t.inputGradStrides[2] == 1 ? 0 : t.headDim * 32;
    return tiles + 4 * floats + weights * 32 + t.blockSize * 32 + weights * 4 + spread +
           (t.sequences > 0 ? 1024 : 0);
}

/// Compares the sequence and row at which each block starts with the results of a simple search.
void CheckStarts(const Call& call, const TilingData& t, int64_t blocks) {
    const Dims ends = call.ends.empty() ? Dims{call.rows} : call.ends;
    const int64_t perGroup = CeilDiv(t.rows, 16);
    const int64_t units = perGroup * CeilDiv(t.heads, t.headsPerGroup);
    for (int64_t block = 0; block < blocks; ++block) {
        const int64_t first = block * (units / blocks) + std::min(block, units % blocks);
        const int64_t row = first % perGroup * 16;
        size_t sequence = 0;
        int64_t begin = 0;
        int64_t windows = 0;
        while (sequence + 1 < ends.size() && ends[sequence] <= row) {
            windows += WindowsOf(call, ends[sequence] - begin);
            begin = ends[sequence++];
        }
        CHECK_EQ(t.starts[block].sequence, static_cast<int64_t>(sequence));
        CHECK_EQ(t.starts[block].firstRow, begin);
        CHECK_EQ(t.starts[block].windows, windows);
    }
}

void CheckPlan(const Call& call, const char* soc) {
    const Planned<TilingData> planned = Plan(call, soc);
    CHECK(planned.ok);
    const TilingData& t = planned.tiling;
    CHECK(UbBytes(t) <= static_cast<int64_t>(planned.ubBytes));
    // Repeat counts and strides of instructions have 8 bits.
    CHECK(t.rowsPerTile >= 16 && t.rowsPerTile <= 255);
    CHECK(t.headsPerGroup * t.headDim / 16 <= 255);
    CHECK(t.headsPerGroup * t.blockSize / 8 <= 255);
    CHECK_EQ(t.windowsPerTile, CeilDiv(t.rowsPerTile + t.blockSize - 1, t.stride));
    CHECK(t.windowsPerTile <= op::kMaxTileWindows);
    // The final sum handles 16 heads at once, so a group of heads must not cross a multiple of 16.
    CHECK(16 % t.headsPerGroup == 0 || t.headsPerGroup == t.heads);
    const int64_t groups = CeilDiv(t.heads, t.headsPerGroup);
    const int64_t blocks = std::min(planned.cores, groups * CeilDiv(t.rows, 16));
    CHECK_EQ(planned.node->result.blockDim, blocks);
    CHECK_EQ(planned.node->result.scheduleMode, 1u);
    CHECK_EQ(planned.node->result.workspaceCount, 1u);
    CHECK_EQ(planned.node->result.workspaces[0],
             16777216u + (blocks + groups - 1) * t.headsPerGroup * t.blockSize * sizeof(float));
    CheckStarts(call, t, blocks);
}

}  // namespace

TEST(TilesFitForAllLimits) {
    for (const char* soc : {"Ascend910B2", "Ascend910B4"}) {
        for (int64_t heads : {1, 2, 3, 4, 5, 15, 16, 17, 24, 64, 127, 128}) {
            for (int64_t dim = 16; dim <= 256; dim += 16) {
                for (int64_t block = 32; block <= 128; block += 16) {
                    for (int64_t stride : {int64_t{16}, int64_t{32}, block - 16}) {
                        Call call;
                        call.rows = 1000;
                        call.heads = heads;
                        call.dim = dim;
                        call.block = block;
                        call.stride = std::min(stride, block - 16);
                        CheckPlan(call, soc);
                    }
                }
            }
        }
    }
}

TEST(StartsAreThoseOfAWalkThroughAllSequences) {
    Call call;
    call.heads = 20;
    call.rows = 5003;
    for (const char* soc : kSocs) {
        CheckPlan(call, soc);
        for (int64_t step : {1, 7, 33, 100, 900, 5000}) {
            call.ends.clear();
            for (int64_t end = step; end <= 5000; end += step) {
                call.ends.push_back(end);
            }
            CheckPlan(call, soc);
            call.ends.insert(call.ends.begin(), 10, 0);
            call.ends.insert(call.ends.end(), 10, call.ends.back());
            CheckPlan(call, soc);
        }
        call.ends.clear();
    }
}

TEST(FewRowsAndManyRows) {
    for (const char* soc : kSocs) {
        for (int64_t rows : {32, 33, 47, 48, 100, 800, 70000, 10000000}) {
            for (int64_t heads : {1, 4, 128}) {
                Call call;
                call.rows = rows;
                call.heads = heads;
                call.dim = 192;
                CheckPlan(call, soc);
            }
        }
    }
}

TEST(RealWorkloadsKeepAllCoresAndLongRunsOfMemory) {
    for (const char* soc : kSocs) {
        Call call;
        call.rows = 8192;
        call.heads = 4;
        call.dim = 192;
        const Planned<TilingData> planned = Plan(call, soc);
        CHECK_EQ(planned.node->result.blockDim, planned.cores);
        CHECK_EQ(planned.tiling.headsPerGroup, 4u);
        CHECK(planned.tiling.rowsPerTile >= 32);
    }
}

TEST(StridesOfOutputs) {
    Call call;
    TilingData t = Plan(call).tiling;
    CHECK_EQ(t.inputGradStrides[0], 32);
    CHECK_EQ(t.inputGradStrides[1], 16);
    CHECK_EQ(t.inputGradStrides[2], 1);
    CHECK_EQ(t.weightGradStrides[0], 2);
    CHECK_EQ(t.weightGradStrides[1], 1);
    call.inputGradStrides = {1, 1000, 80};
    call.weightGradStrides = {5, 700};
    call.ends = {40, 80};
    CheckPlan(call, "Ascend910B2");
    t = Plan(call).tiling;
    CHECK_EQ(t.inputGradStrides[1], 1000);
    CHECK_EQ(t.inputGradStrides[2], 80);
    CHECK_EQ(t.weightGradStrides[0], 5);
    CHECK_EQ(t.weightGradStrides[1], 700);
    CHECK_EQ(t.sequences, 2);
    CHECK(Refused([](Call& c) { c.inputGradStrides = {32, 1}; }));
    CHECK(Refused([](Call& c) { c.weightGradStrides = {2, 1, 1}; }));
}

TEST(TilesFollowNeitherStridesNorSequences) {
    // Strides must not change the tiles, because the tiles decide in which order numbers are added.
    for (int64_t heads : {1, 3, 16, 64, 128}) {
        for (int64_t dim = 16; dim <= 256; dim += 16) {
            for (int64_t block = 32; block <= 128; block += 16) {
                Call call;
                call.rows = 344;
                call.heads = heads;
                call.dim = dim;
                call.block = block;
                const Planned<TilingData> plain = Plan(call);
                call.inputGradStrides = {1, 50000, 350};
                call.ends = {call.rows};
                const Planned<TilingData> other = Plan(call);
                CHECK(plain.ok && other.ok);
                CHECK_EQ(plain.tiling.rowsPerTile, other.tiling.rowsPerTile);
                CHECK_EQ(plain.tiling.headsPerGroup, other.tiling.headsPerGroup);
                CHECK_EQ(plain.node->result.blockDim, other.node->result.blockDim);
            }
        }
    }
}

TEST(RefusesWhatItsTableSays) {
    CHECK(!Refused([](Call&) {}));
    CHECK(Refused([](Call& c) { c.block = 40; }));
    CHECK(Refused([](Call& c) { c.block = 144, c.rows = 200; }));
    CHECK(Refused([](Call& c) { c.block = 16; }));
    CHECK(Refused([](Call& c) { c.stride = 8; }));
    CHECK(Refused([](Call& c) { c.stride = 0, c.windows = 1; }));
    CHECK(Refused([](Call& c) { c.stride = -16, c.windows = 1; }));
    CHECK(Refused([](Call& c) { c.stride = 32; }));
    CHECK(Refused([](Call& c) { c.stride = 48; }));
    CHECK(Refused([](Call& c) { c.dim = 24; }));
    CHECK(Refused([](Call& c) { c.dim = 272; }));
    CHECK(Refused([](Call& c) { c.dim = 0; }));
    CHECK(Refused([](Call& c) { c.heads = 129; }));
    CHECK(Refused([](Call& c) { c.heads = 0; }));
    CHECK(Refused([](Call& c) { c.rows = 0; }));
    CHECK(Refused([](Call& c) { c.weight = {32, 3}; }));
    CHECK(Refused([](Call& c) { c.weight = {48, 2}; }));
    CHECK(Refused([](Call& c) { c.weight = {32, 2, 1}; }));
}

TEST(RefusesEndsThatAreNone) {
    CHECK(!Refused([](Call& c) { c.ends = {0, 40, 40, 79}; }));
    CHECK(Refused([](Call& c) { c.ends = {-1, 80}; }));
    CHECK(Refused([](Call& c) { c.ends = {40, 39, 80}; }));
    CHECK(Refused([](Call& c) { c.ends = {40, 81}; }));
    CHECK(Refused([](Call& c) { c.ends = {80}, c.windows = 3; }));
    CHECK(Refused([](Call& c) { c.ends = {40, 80}, c.windows = 4; }));
    CHECK(Refused([](Call& c) { c.windows = 5; }));
}

TEST(InfersShapesAndDtypes) {
    for (ge::DataType dtype : {ge::DT_FLOAT16, ge::DT_BF16}) {
        Call call;
        call.rows = -1;
        call.windows = -1;
        call.weight = {32, 2};
        call.dtype = dtype;
        const std::unique_ptr<OpNode> node = NodeOf(call, "Ascend910B2");
        std::string error;
        CHECK_EQ(RunInferShape(node.get(), &error), ge::GRAPH_SUCCESS);
        CHECK(*node->InferShape()->GetOutputShape(0) == gert::Shape({-1, 2, 16}));
        CHECK(*node->InferShape()->GetOutputShape(1) == gert::Shape({32, 2}));
        CHECK_EQ(RunInferDataType(node.get(), &error), ge::GRAPH_SUCCESS);
        for (size_t i = 0; i < 2; ++i) {
            CHECK_EQ(static_cast<int>(node->InferDataType()->GetOutputDataType(i)),
                     static_cast<int>(dtype));
        }
    }
}

int main(int argc, char** argv) { return check::RunTests(argc, argv); }
