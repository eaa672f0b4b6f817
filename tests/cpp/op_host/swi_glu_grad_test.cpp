// SPDX-License-Identifier: Apache-2.0
// Tests of SwiGluGrad's tiling and inference, also for calls that must be refused.
#include <algorithm>
#include <memory>
#include <string>

#include "plan.h"
#include "swi_glu_grad_tiling.h"

using twin::host::OpNode;
using TilingData = SwiGluGradTilingData;

namespace op = ops::SwiGluGradOp;

namespace {

std::unique_ptr<OpNode> NodeOf(const Dims& yGrad, const Dims& x, int64_t dim, ge::DataType dtype,
                               const char* soc) {
    std::unique_ptr<OpNode> node = MakeNode<TilingData>("SwiGluGrad", soc);
    node->AddInput(yGrad, dtype, ge::FORMAT_ND);
    node->AddInput(x, dtype, ge::FORMAT_ND);
    node->AddOutput(x, dtype, ge::FORMAT_ND);
    node->Attrs().Add(dim);
    return node;
}

Planned<TilingData> Plan(const Dims& x, int64_t dim, ge::DataType dtype, const char* soc) {
    Dims yGrad = x;
    yGrad[static_cast<size_t>(dim < 0 ? dim + static_cast<int64_t>(x.size()) : dim)] /= 2;
    return PlanNode<TilingData>(NodeOf(yGrad, x, dim, dtype, soc));
}

bool Refused(const Dims& yGrad, const Dims& x, int64_t dim) {
    return !PlanNode<TilingData>(NodeOf(yGrad, x, dim, ge::DT_FLOAT16, "Ascend910B2")).ok;
}

/// Returns the bytes of UB that the kernel allocates.
uint64_t UbBytes(const TilingData& t, ge::DataType dtype) {
    const bool half = dtype != ge::DT_FLOAT;
    if (t.narrow != 0) {
        const uint32_t perElem = half ? op::kUbBytesPerNarrowHalf : op::kUbBytesPerNarrowFloat;
        return uint64_t{t.tileElems} * perElem + 2 * op::kUbShiftBytes;
    }
    // Three floats, or all bytes up to the next banks; then inputs and results.
    const uint64_t floats = uint64_t{t.tileElems} * 12 + op::kUbShiftBytes;
    return half ? std::max<uint64_t>(floats, op::kUbSetBytes) + uint64_t{t.tileElems} * 20
                : uint64_t{t.tileElems} * op::kUbBytesPerFloat + op::kUbShiftBytes;
}

void CheckPlan(int64_t rows, int64_t cols, ge::DataType dtype, const char* soc) {
    const Planned<TilingData> planned = Plan({rows, 2 * cols}, -1, dtype, soc);
    CHECK(planned.ok);
    const TilingData& t = planned.tiling;
    const int64_t block = dtype == ge::DT_FLOAT ? 8 : 16;
    CHECK_EQ(t.rows, rows);
    CHECK_EQ(t.cols, cols);
    CHECK_EQ(t.colTiles, (cols + t.colsPerTile - 1) / t.colsPerTile);
    CHECK_EQ(t.tiles, (rows + t.rowsPerTile - 1) / t.rowsPerTile * t.colTiles);
    CHECK(t.rowsPerTile == 1 || t.colTiles == 1);
    CHECK(t.narrow != 0 || t.rowsPerTile <= 4095);
    CHECK(t.narrow == 0 || (t.colTiles == 1 && cols * (32 / block) < 128));
    CHECK(t.colTiles == 1 || t.colsPerTile % (16 * block) == 0);
    const int64_t pitch = t.narrow != 0 ? cols : (t.colsPerTile + block - 1) / block * block;
    CHECK_EQ(t.tileElems % op::kTileUnit, 0u);
    CHECK(t.tileElems >= t.rowsPerTile * pitch);
    CHECK(t.tileElems < t.rowsPerTile * pitch + op::kTileUnit);
    CHECK(UbBytes(t, dtype) <= planned.ubBytes);
    const int64_t blocks = planned.node->result.blockDim;
    CHECK(blocks >= 1 && blocks <= std::min(t.tiles, planned.cores));
    CHECK_EQ(planned.node->result.workspaces[0], 0u);
    // Neighbouring rows of a copy do not share 32 B, unless one copy moves all rows.
    const int64_t rowBytes = cols * (32 / block);
    const bool apart = t.rowsPerTile == 1 || t.narrow != 0 || rowBytes % 32 == 0;
    CHECK(apart ? t.gradCopies == 1 : t.gradCopies * rowBytes - rowBytes >= 32);
    CHECK(apart ? t.halfCopies == 1 : t.halfCopies * 2 * rowBytes - rowBytes >= 32);
}

}  // namespace

TEST(TilesCoverEverythingAndFit) {
    for (const char* soc : {"Ascend910B2", "Ascend910B4"}) {
        for (ge::DataType dtype : {ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT}) {
            for (int64_t rows : {1, 2, 47, 97, 4096, 1000003}) {
                for (int64_t cols : {1, 7, 16, 17, 333, 2048, 11008, 28672, 1000000}) {
                    CheckPlan(rows, cols, dtype, soc);
                }
            }
        }
    }
}

TEST(EveryDimIsRowsOfTwoHalves) {
    const Dims x = {4, 6, 8, 10};
    const int64_t rows[] = {1, 4, 24, 192};
    const int64_t cols[] = {960, 240, 40, 5};
    for (int64_t dim = 0; dim < 4; ++dim) {
        for (int64_t same : {dim, dim - 4}) {
            const TilingData tiling = Plan(x, same, ge::DT_FLOAT, "Ascend910B2").tiling;
            CHECK_EQ(tiling.rows, rows[dim]);
            CHECK_EQ(tiling.cols, cols[dim]);
        }
    }
}

TEST(EveryCoreHasWorkIfThereIsMuch) {
    for (const char* soc : kSocs) {
        for (const Dims& x : {Dims{4096, 22016}, Dims{8192, 3072}, Dims{1, 2400 * 5120}}) {
            const Planned<TilingData> planned = Plan(x, -1, ge::DT_BF16, soc);
            CHECK_EQ(planned.node->result.blockDim, planned.cores);
        }
    }
}

TEST(FewBlocksStartIfThereIsLittle) {
    CHECK_EQ(Plan({1, 64}, -1, ge::DT_BF16, "Ascend910B2").node->result.blockDim, 1u);
    CHECK_EQ(Plan({48, 2}, -1, ge::DT_BF16, "Ascend910B2").node->result.blockDim, 1u);
    const uint32_t some = Plan({128, 4096}, -1, ge::DT_BF16, "Ascend910B2").node->result.blockDim;
    CHECK(some > 8 && some < 48);
}

TEST(InputsBypassL2IfNotAllFits) {
    const TilingData fits = Plan({4096, 8192}, -1, ge::DT_BF16, "Ascend910B2").tiling;
    CHECK_EQ(fits.readsPastL2, 0u);
    CHECK_EQ(fits.tilesThroughL2, fits.tiles);
    // The output alone fits.
    const TilingData output = Plan({4096, 16384}, -1, ge::DT_BF16, "Ascend910B2").tiling;
    CHECK_EQ(output.readsPastL2, 1u);
    CHECK_EQ(output.tilesThroughL2, output.tiles);
    const TilingData part = Plan({8192, 57344}, -1, ge::DT_BF16, "Ascend910B2").tiling;
    CHECK_EQ(part.readsPastL2, 1u);
    CHECK(part.tilesThroughL2 > 0 && part.tilesThroughL2 < part.tiles / 48);
    // The L2 of this chip has half the size.
    CHECK_EQ(Plan({4096, 8192}, -1, ge::DT_BF16, "Ascend910B4").tiling.readsPastL2, 1u);
}

TEST(RowsOfAFewBytesAreOneRun) {
    CHECK_EQ(Plan({100000, 2}, -1, ge::DT_BF16, "Ascend910B2").tiling.narrow, 1u);
    CHECK_EQ(Plan({20000, 34}, -1, ge::DT_FLOAT16, "Ascend910B2").tiling.narrow, 1u);
    CHECK_EQ(Plan({20000, 128}, -1, ge::DT_BF16, "Ascend910B2").tiling.narrow, 0u);
    CHECK_EQ(Plan({1, 2}, -1, ge::DT_BF16, "Ascend910B2").tiling.narrow, 0u);
}

TEST(RefusesWhatItCannotSplit) {
    CHECK(!Refused({4, 3}, {4, 6}, -1));
    CHECK(Refused({4, 3}, {4, 7}, -1));
    CHECK(Refused({1, 2}, {3, 2}, 0));
    CHECK(Refused({4, 3}, {4, 6}, 2));
    CHECK(Refused({4, 3}, {4, 6}, -3));
    CHECK(Refused({4, 6}, {4, 6}, -1));
    CHECK(Refused({12}, {4, 6}, -1));
    CHECK(Refused({0, 3}, {0, 6}, -1));
    CHECK(Refused({}, {}, 0));
}

TEST(InfersTheShapeAndTheDtypeOfX) {
    for (const Dims& x : {Dims{4, 6}, Dims{-1, 6}, Dims{-2}}) {
        const std::unique_ptr<OpNode> node = NodeOf({}, x, -1, ge::DT_BF16, "Ascend910B2");
        std::string error;
        CHECK_EQ(RunInferShape(node.get(), &error), ge::GRAPH_SUCCESS);
        const gert::Shape& shape = *node->InferShape()->GetOutputShape(0);
        CHECK_EQ(shape.GetDimNum(), x.size());
        for (size_t i = 0; i < x.size(); ++i) {
            CHECK_EQ(shape.GetDim(i), x[i]);
        }
        CHECK_EQ(RunInferDataType(node.get(), &error), ge::GRAPH_SUCCESS);
        CHECK_EQ(static_cast<int>(node->InferDataType()->GetOutputDataType(0)),
                 static_cast<int>(ge::DT_BF16));
    }
}

int main(int argc, char** argv) { return check::RunTests(argc, argv); }
