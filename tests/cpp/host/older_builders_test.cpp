// SPDX-License-Identifier: Apache-2.0
// Tests of the older context builders: MutableOpInfo() describes the call, and inference functions
// write their results to objects of the test.
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "acl/acl_base.h"
#include "acl_session.h"
#include "check.h"
#include "error_manager/error_manager.h"
#include "graph/operator_reg.h"
#include "log/log.h"
#include "op_infer_datatype_context_builder.h"
#include "op_infer_shape_context_builder.h"
#include "op_infer_shape_range_context_builder.h"
#include "op_tiling_context_builder.h"
#include "securec.h"

namespace ge {
// REG_OP turns the names of types into text and does not check whether they exist.
REG_OP(OlderProbe)
    .INPUT(x, TensorType({DT_FLOAT16, DT_FLOAT32}))
    .OUTPUT(y, TensorType({DT_FLOAT32}))
    .ATTR(scale, Float, 1.0)
    .OP_END_FACTORY_REG(OlderProbe)
}  // namespace ge

// What operators declare in their copies of the toolkit's headers for the tuning bank.
namespace tuningtiling {
class TuningTilingDef;
class TuningTilingClassFactory {
public:
    static void RegisterTilingData(const ge::AscendString& optype,
                                   std::shared_ptr<TuningTilingDef> (*constructor)());
};
class OpBankKeyFuncRegistryV2 {
public:
    OpBankKeyFuncRegistryV2(const ge::AscendString& optype,
                            const std::function<bool(const gert::TilingContext*,
                                                     std::shared_ptr<void>&, size_t&)>& convert);
};
}  // namespace tuningtiling

namespace {

const gert::StorageFormat kNd(ge::FORMAT_ND, ge::FORMAT_ND);

/// Lets tests set attributes by name. Unit tests of operators often derive a class like this one.
class Faker : public gert::OpTilingContextBuilder {
public:
    template <typename T>
    Faker& Attr(const std::string& name, T value) {
        OpTilingContextBuilder::MutableOpInfo().Attr(AscendString(name.c_str()), value);
        return *this;
    }
};

}  // namespace

TEST(TilingWithADescriptionOfItsOwn) {
    gert::Tensor x({{4, 8}, {4, 8}}, kNd, gert::kOnDeviceHbm, ge::DT_FLOAT, nullptr);
    gert::Tensor y({{4}, {4}}, kNd, gert::kOnDeviceHbm, ge::DT_FLOAT, nullptr);
    Faker faker;
    faker.MutableOpInfo()
        .OpType("OlderProbe")
        .OpName("first")
        .IOInstanceNum({1, 0, 1}, {1})
        .SetInputTd(0, ge::DT_INT8, ge::FORMAT_ND, ge::FORMAT_FRACTAL_NZ)
        .SetOutputTd(0, ge::DT_BF16, ge::FORMAT_ND, ge::FORMAT_ND, {{4}, {4}});
    faker.Attr("flag", true).Attr("count", 3).Attr("scale", 0.5);
    faker.Attr("mode", AscendString("fast")).Attr("sizes", std::vector<int64_t>{7, 8});
    gert::ContinuousVector workspaces;  // has room for one workspace size
    // A second call of InputTensors adds its tensors after those of the first call.
    faker.InputTensors({&x}).InputTensors({&x}).OutputTensors({&y}).Workspace(&workspaces);
    auto holder = faker.Build();
    gert::TilingContext* const context = holder.GetContext();
    CHECK(context->GetWorkspaceSizes(2) == nullptr);
    *context->GetWorkspaceSizes(1) = 4096;
    CHECK_EQ(workspaces.GetSize(), 1u);
    CHECK_EQ(*static_cast<const size_t*>(workspaces.GetData()), 4096u);
    CHECK_EQ(std::string(context->GetNodeType()), "OlderProbe");
    CHECK_EQ(std::string(context->GetNodeName()), "first");
    CHECK_EQ(context->GetIrInputsNum(), 3u);
    CHECK(context->GetOptionalInputShape(1) == nullptr);
    CHECK(!context->DynamicInputIsView(0, 0) && !context->RequiredInputIsView(2));
    CHECK(context->GetDynamicInputStride(0, 0) == nullptr);
    CHECK_EQ(context->GetRequiredInputShape(2)->GetStorageShape().GetDim(1), 8);
    // SetInputTd and SetOutputTd override the tensor's own type and format. The calls may come
    // before or after InputTensors and OutputTensors.
    CHECK_EQ(context->GetInputDesc(0)->GetDataType(), ge::DT_INT8);
    CHECK_EQ(context->GetInputDesc(0)->GetStorageFormat(), ge::FORMAT_FRACTAL_NZ);
    CHECK_EQ(context->GetInputDesc(1)->GetDataType(), ge::DT_FLOAT);
    CHECK_EQ(context->GetOutputDesc(0)->GetDataType(), ge::DT_BF16);
    const gert::RuntimeAttrs* const attrs = context->GetAttrs();
    CHECK(*attrs->GetBool(0));
    CHECK_EQ(*attrs->GetInt(1), 3);
    CHECK_EQ(*attrs->GetFloat(2), 0.5f);
    CHECK_EQ(std::string(attrs->GetStr(3)), "fast");
    CHECK_EQ(attrs->GetListInt(4)->GetData()[1], 8);
}

TEST(ResultsGoWhereTheTestSays) {
    gert::Tensor x({{4, 5}, {4, 5}}, kNd, gert::kOnDeviceHbm, ge::DT_FLOAT16, nullptr);
    gert::StorageShape result;
    gert::OpInferShapeContextBuilder shapes;
    shapes.MutableOpInfo().OpType("OlderProbe").IONum(1, 1);
    auto shaped = shapes.InputTensors({&x}).OutputShapes({&result}).Build();
    *shaped.GetContext()->GetOutputShape(0) = *shaped.GetContext()->GetInputShape(0);
    CHECK(result.GetOriginShape() == gert::Shape({4, 5}));
    auto* const values = static_cast<gert::KernelContext*>(static_cast<void*>(shaped.GetContext()));
    CHECK(values->GetOutputPointer<gert::StorageShape>(0) == &result);

    gert::Tensor most({{8, 9}, {8, 9}}, kNd, gert::kOnDeviceHbm, ge::DT_FLOAT16, nullptr);
    gert::Range<gert::Tensor> given(&x, &most);
    gert::Shape least;
    gert::Shape greatest;
    gert::Range<gert::Shape> range(&least, &greatest);
    gert::OpInferShapeRangeContextBuilder ranges;
    ranges.MutableOpInfo().OpType("OlderProbe").IONum(1, 1);
    auto ranged = ranges.InputTensors({&given}).OutputShapes({&range}).Build();
    *ranged.GetContext()->GetOutputShapeRange(0)->GetMax() =
        *ranged.GetContext()->GetInputShapeRange(0)->GetMax();
    CHECK(greatest == gert::Shape({8, 9}));

    ge::DataType input = ge::DT_INT32;
    ge::DataType output = ge::DT_UNDEFINED;
    gert::OpInferDataTypeContextBuilder types;
    types.MutableOpInfo().OpType("OlderProbe").IOInstanceNum({1, 1}, {1});
    auto typed = types.Inputs({&input, nullptr}).Outputs({&output}).Build();
    CHECK_EQ(typed.GetContext()->GetInputDataType(0), ge::DT_INT32);
    CHECK_EQ(typed.GetContext()->GetOptionalInputDataType(1), ge::DT_UNDEFINED);
    CHECK_EQ(typed.GetContext()->SetOutputDataType(0, ge::DT_BF16), ge::GRAPH_SUCCESS);
    CHECK_EQ(output, ge::DT_BF16);
    CHECK_EQ(typed.GetContext()->GetOutputDataType(0), ge::DT_BF16);
}

TEST(TheLevelOfMessages) {
    setenv("ASCEND_SLOG_PRINT_TO_STDOUT", "1", 1);
    CHECK_EQ(CheckLogLevel(OP, DLOG_DEBUG), 0);
    CHECK_EQ(dlog_setlevel(OP, DLOG_DEBUG, 0), 0);
    CHECK_EQ(CheckLogLevel(OP, DLOG_DEBUG), 1);
    CHECK_EQ(AlogCheckDebugLevel(OP, DLOG_DEBUG), 1);
    CHECK_EQ(dlog_setlevel(OP, 4, 0), 0);
    CHECK_EQ(CheckLogLevel(OP, DLOG_WARN), 0);
    CHECK_EQ(dlog_setlevel(OP, 5, 0), -1);
    CHECK_EQ(dlog_setlevel(OP, -1, 0), -1);
    // A logged error becomes the text of aclGetRecentErrMsg, even if it is not printed.
    CHECK_EQ(CheckLogLevel(OP, DLOG_ERROR), 1);
    OP_LOGE("probe", "broken at %d", 6);
    CHECK(MessageHas("probe: broken at 6"));
    REPORT_INPUT_ERROR("E10001", std::vector<std::string>({"index"}),
                       std::vector<std::string>({"2"}));
    CHECK(MessageHas("E10001 index: 2"));
    REPORT_CALL_ERROR("E19999", "call %d failed", 7);
    CHECK(MessageHas("E19999 call 7 failed"));
    unsetenv("ASCEND_SLOG_PRINT_TO_STDOUT");
}

TEST(TextsWithBounds) {
    char text[6] = "";
    CHECK_EQ(strcpy_s(text, sizeof(text), "ab"), EOK);
    CHECK_EQ(strcat_s(text, sizeof(text), "cde"), EOK);
    CHECK_EQ(std::string(text), "abcde");
    CHECK_EQ(strcat_s(text, sizeof(text), "f"), ERANGE);
    CHECK_EQ(std::string(text), "");
    CHECK_EQ(strncpy_s(text, sizeof(text), "123456789", 5), EOK);
    CHECK_EQ(std::string(text), "12345");
    CHECK_EQ(strcpy_s(text, sizeof(text), "123456"), ERANGE);
    CHECK_EQ(strcpy_s(text, sizeof(text), nullptr), EINVAL);
    CHECK_EQ(strcpy_s(nullptr, 6, "a"), EINVAL);
    CHECK_EQ(sprintf_s(text, sizeof(text), "%d-%d", 12, 34), 5);
    CHECK_EQ(sprintf_s(text, sizeof(text), "%d-%d", 123, 45), -1);
    CHECK_EQ(std::string(text), "");
    CHECK_EQ(snprintf_s(text, sizeof(text), 3, "%d", 12345), -1);
    CHECK_EQ(std::string(text), "123");
}

TEST(TypesOfAPrototypeAreText) {
    const ge::op::OlderProbe node;
    CHECK_EQ(node.Prototype()[0].type, "TensorType({DT_FLOAT16, DT_FLOAT32})");
}

TEST(TypesThatOnlyNewerChipsHave) {
    CHECK_EQ(static_cast<int>(ACL_HIFLOAT8), static_cast<int>(ge::DT_HIFLOAT8));
    CHECK_EQ(static_cast<int>(ACL_FLOAT8_E4M3FN), static_cast<int>(ge::DT_FLOAT8_E4M3FN));
    CHECK_EQ(static_cast<int>(ACL_FLOAT4_E1M2), static_cast<int>(ge::DT_FLOAT4_E1M2));
}

int main(int argc, char** argv) { return check::RunTests(argc, argv); }

TEST(FunctionsForTheTuningBankAreNotCalled) {
    bool called = false;
    const tuningtiling::OpBankKeyFuncRegistryV2 key(
        "Probe", [&called](const gert::TilingContext*, std::shared_ptr<void>&, size_t&) {
            called = true;
            return true;
        });
    tuningtiling::TuningTilingClassFactory::RegisterTilingData("Probe", nullptr);
    CHECK(!called);
}
