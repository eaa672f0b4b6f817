// SPDX-License-Identifier: Apache-2.0
// Inference of GroupedMatmulFinalizeRouting.
#include <memory>
#include <string>
#include <vector>

#include "check.h"
#include "host/op_node.h"
#include "register/op_def_registry.h"
#include "soc/soc.h"

using twin::host::OpNode;
using Dims = std::vector<int64_t>;

namespace {

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

int main(int argc, char** argv) { return check::RunTests(argc, argv); }
