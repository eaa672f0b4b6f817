// SPDX-License-Identifier: Apache-2.0
// Tests tiling and inference of NewOp: the tiling for every chip, and the calls that are refused.
#include <algorithm>
#include <memory>
#include <string>

#include "new_op_tiling.h"
#include "plan.h"

namespace op = ops::NewOpOp;

using twin::host::OpNode;
using TilingData = NewOpTilingData;

namespace {

std::unique_ptr<OpNode> NodeOf(const Dims& x, ge::DataType dtype, const char* soc) {
    std::unique_ptr<OpNode> node = MakeNode<TilingData>("NewOp", soc);
    node->AddInput(x, dtype, ge::FORMAT_ND);
    node->AddOutput(x, dtype, ge::FORMAT_ND);
    return node;
}

void CheckPlan(int64_t elems, ge::DataType dtype, const char* soc) {
    const Planned<TilingData> planned = PlanNode<TilingData>(NodeOf({elems}, dtype, soc));
    CHECK(planned.ok);
    const TilingData& t = planned.tiling;
    const uint64_t tileBytes = uint64_t{t.tileElems} * (dtype == ge::DT_FLOAT ? 4 : 2);
    CHECK_EQ(t.elems, elems);
    CHECK_EQ(t.tiles, (elems + t.tileElems - 1) / t.tileElems);
    CHECK_EQ(tileBytes % 512, 0u);
    CHECK(tileBytes * op::kUbBytesPerByte <= planned.ubBytes);
    CHECK_EQ(planned.node->result.blockDim, std::min(t.tiles, planned.cores));
    CHECK_EQ(planned.node->result.workspaces[0], 0u);
}

}  // namespace

TEST(TilesCoverEverythingAndFit) {
    for (const char* soc : kSocs) {
        for (ge::DataType dtype : {ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT}) {
            for (int64_t elems : {1, 7, 16, 4096, 1000003, 1 << 30}) {
                CheckPlan(elems, dtype, soc);
            }
        }
    }
}

TEST(EveryCoreHasWork) {
    for (const char* soc : kSocs) {
        const auto planned = PlanNode<TilingData>(NodeOf({48 * 256}, ge::DT_BF16, soc));
        CHECK_EQ(planned.node->result.blockDim, std::min(planned.cores, planned.tiling.tiles));
        CHECK(planned.tiling.tiles * 2 > planned.cores);
    }
}

TEST(RefusesAnEmptyTensor) {
    CHECK(!PlanNode<TilingData>(NodeOf({4, 0}, ge::DT_FLOAT, "Ascend910B2")).ok);
}

TEST(InfersTheShapeAndTheDtypeOfX) {
    for (const Dims& x : {Dims{4, 6}, Dims{-1, 6}, Dims{-2}}) {
        const std::unique_ptr<OpNode> node = NodeOf(x, ge::DT_BF16, "Ascend910B2");
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
