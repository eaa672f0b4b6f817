// SPDX-License-Identifier: Apache-2.0
// Tests of NsaCompressGrad's tiling and inference, also for calls that must be refused.
#include <algorithm>
#include <memory>
#include <string>

#include "nsa_compress_grad_call.h"

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

TEST(RealWorkloadsUseAllCores) {
    for (const char* soc : kSocs) {
        Call call;
        call.rows = 8192;
        call.heads = 4;
        call.dim = 192;
        const BaseTilingData t = Plan(call, soc).tiling;
        CHECK(t.cube.groups > 0);
        CHECK(t.rowsPerTile >= 96);
    }
}

TEST(TheFormFollowsTheWork) {
    Call call;
    call.dim = 192;
    call.heads = 4;
    for (int64_t rows : {32, 100, 1024}) {
        call.rows = rows;
        CHECK_EQ(Plan(call).tiling.cube.groups, 0);
    }
    call.rows = 65536;
    CHECK_EQ(Plan(call).tiling.cube.groups, 4094);
    call.ends.clear();
    for (int64_t i = 1; i <= 32; ++i) {
        call.ends.push_back(i * 2048);
    }
    CheckPlan(call, "Ascend910B2");
    CHECK_EQ(Plan(call).tiling.cube.groups, 32 * 126);
    call.ends.insert(call.ends.end(), 2000, 65536);  // it takes long to search these
    CheckPlan(call, "Ascend910B2");
    CHECK_EQ(Plan(call).tiling.cube.groups, 0);
    call.ends.clear();
    call.rows = 2032;  // no row has all its windows
    call.heads = 128;
    for (int64_t end = 127; end <= 2032; end += 127) {
        call.ends.push_back(end);
    }
    call.block = 128;
    CHECK_EQ(Plan(call).tiling.cube.groups, 0);
}

TEST(CubeCoresComputeBothGradientsIfManyWindowsOverlap) {
    Call call;
    call.rows = 8192;
    call.heads = 4;
    call.dim = 192;
    CHECK_EQ(Plan(call).tiling.cube.inputGrad, 0u);
    call.block = 128;
    CheckPlan(call, "Ascend910B2");
    CHECK_EQ(Plan(call).tiling.cube.inputGrad, 1u);
    call.inputGradStrides = {4 * 192, 192, 1};
    CHECK_EQ(Plan(call).tiling.cube.inputGrad, 1u);
    call.inputGradStrides = {8 * 192, 384, 2};  // a copy out of L0C cannot write this
    CheckPlan(call, "Ascend910B2");
    CHECK(Plan(call).tiling.cube.groups > 0);
    CHECK_EQ(Plan(call).tiling.cube.inputGrad, 0u);
    CHECK_EQ(Plan(call).tiling.cube.splits, 1u);  // the tiles of the vector cores stay the same
    call.inputGradStrides = {-4 * 192, 192, 1};
    CHECK_EQ(Plan(call).tiling.cube.inputGrad, 0u);
    call.inputGradStrides = {0};
    for (int64_t heads : {5, 32, 128}) {
        call.heads = heads;
        CheckPlan(call, "Ascend910B2");
        const BaseTilingData t = Plan(call).tiling;
        CHECK_EQ(t.cube.inputGrad, 1u);
        // Each cube core has room for the weights of all heads of its pieces.
        const int64_t pieces = t.cube.groups * CeilDiv(heads, t.cube.heads);
        for (int64_t core = 0; core < 24; ++core) {
            const int64_t first = core * (pieces / 24) + std::min(core, pieces % 24);
            const int64_t end = first + pieces / 24 + (core < pieces % 24 ? 1 : 0);
            const int64_t groups = CeilDiv(end, t.cube.groups) - first / t.cube.groups;
            CHECK(groups * t.cube.heads <= t.cube.headsOfBlock);
        }
    }
}

TEST(TheChoiceCountsShortStoresAndUnalignedRows) {
    Call call;
    call.rows = 520;
    call.heads = 128;
    call.block = 128;
    call.stride = 112;
    // A cube core stores 96 B at a time, which takes L2 as long as 900 B.
    call.dim = 48;
    CheckPlan(call, "Ascend910B2");
    CHECK_EQ(Plan(call).tiling.cube.inputGrad, 0u);
    CHECK_EQ(Plan(call).tiling.headsPerGroup, 2u);
    // Rows of one head, 480 B, load whole sectors. Tiles of two heads would have only 16 rows.
    call.dim = 240;
    CheckPlan(call, "Ascend910B2");
    CHECK_EQ(Plan(call).tiling.headsPerGroup, 1u);
}

TEST(TilesSuitTheRowsThatCubeCoresLeave) {
    Call call;
    call.rows = 8192;
    call.heads = 4;
    call.dim = 192;
    for (int64_t end = 128; end <= call.rows; end += 128) {
        call.ends.push_back(end);
    }
    CheckPlan(call, "Ascend910B2");
    const BaseTilingData t = Plan(call).tiling;
    CHECK_EQ(t.cube.inputGrad, 1u);
    CHECK_EQ(t.rowsPerTile, 16u);  // each sequence has 16 such rows at both ends
    CHECK_EQ(t.headsPerGroup, 4u);
    // A single sequence has only two such tiles for each head. More cores work if these stay small.
    call.ends.clear();
    call.block = 128;
    CheckPlan(call, "Ascend910B2");
    CHECK_EQ(Plan(call).tiling.cube.inputGrad, 1u);
    CHECK_EQ(Plan(call).tiling.headsPerGroup, 1u);
}

TEST(WhatBypassesL2) {
    Call call;
    call.heads = 4;
    call.dim = 192;
    call.rows = 8192;
    CHECK_EQ(Plan(call).tiling.readsPastL2, 0u);
    CHECK_EQ(Plan(call).tiling.tilesThroughL2, op::kTilesOfPlan);
    call.rows = 65536;
    CHECK_EQ(Plan(call).tiling.readsPastL2, 1u);
    CHECK_EQ(Plan(call).tiling.tilesThroughL2, op::kTilesOfPlan);
    call.rows = 262144;  // inputGrad has 384 MiB, L2 has 192 MiB
    CHECK_EQ(Plan(call).tiling.readsPastL2, 1u);
    const uint32_t through = Plan(call).tiling.tilesThroughL2;
    CHECK(through > op::kTilesOfPlan / 3 && through < op::kTilesOfPlan / 2);
}

TEST(StridesOfOutputs) {
    Call call;
    BaseTilingData t = Plan(call).tiling;
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
