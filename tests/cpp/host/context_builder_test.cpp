// SPDX-License-Identifier: Apache-2.0
// Tests of the headers for unit tests of op_host: context builders, the registry, and a platform
// with values from the test.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "acl_session.h"
#include "base/registry/op_impl_space_registry_v2.h"
#include "check.h"
#include "graph/graph.h"
#include "graph/operator_reg.h"
#include "graph/utils/type_utils.h"
#include "log/log.h"
#include "op_infer_datatype_context_builder.h"
#include "op_infer_shape_context_builder.h"
#include "op_infer_shape_range_context_builder.h"
#include "op_tiling_context_builder.h"
#include "op_tiling_parse_context_builder.h"
#include "platform/platform_info.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace ge {
REG_OP(BuilderProbe)
    .INPUT(x, TensorType::ALL())
    .OPTIONAL_INPUT(mask, TensorType({DT_BOOL}))
    .OUTPUT(y, TensorType::NumberType())
    .ATTR(scale, Float, 1.0)
    .OP_END_FACTORY_REG(BuilderProbe)
}  // namespace ge

namespace ops {
class DefinedProbe : public OpDef {
public:
    explicit DefinedProbe(const char* name) : OpDef(name) {
        Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        AICore().SetTiling([](gert::TilingContext* context) { return context->SetTilingKey(5); });
        AICore().AddConfig("ascend910b");
    }
};
OP_ADD(DefinedProbe);
}  // namespace ops

namespace {

struct CompileInfo {
    uint32_t cores = 0;
    uint64_t ubBytes = 0;
};

struct Data {
    int64_t elements;
    int64_t parts;
};

/// Tiling function. Inputs: a dynamic list, an optional tensor, and sizes whose values are read.
ge::graphStatus Tiling(gert::TilingContext* context) {
    const auto* const info = context->GetCompileInfo<CompileInfo>();
    OP_CHECK_NULL_WITH_CONTEXT(context, info);
    const gert::AnchorInstanceInfo* const list = context->GetIrInputInstanceInfo(0);
    Data* const data = context->GetTilingData<Data>();
    size_t* const workspaces = context->GetWorkspaceSizes(1);
    OP_CHECK_IF(data == nullptr || workspaces == nullptr,
                OP_LOGE(context, "no room for %zu bytes", sizeof(Data)), return ge::GRAPH_FAILED);
    data->elements = 0;
    data->parts = static_cast<int64_t>(list->GetInstanceNum());
    for (size_t i = 0; i < list->GetInstanceNum(); ++i) {
        data->elements += context->GetDynamicInputShape(0, i)->GetStorageShape().GetShapeSize();
    }
    const gert::Tensor* const sizes = context->GetRequiredInputTensor(2);
    OP_CHECK_NULL_WITH_CONTEXT(context, sizes);
    workspaces[0] = static_cast<size_t>(sizes->GetData<int64_t>()[1]);
    context->SetBlockDim(info->cores);
    const bool masked = context->GetOptionalInputShape(1) != nullptr;
    context->SetTilingKey(masked ? 7 : *context->GetAttrs()->GetInt(0));
    return ge::GRAPH_SUCCESS;
}

ge::graphStatus Parse(gert::TilingParseContext* context) {
    const platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
    auto* const info = context->GetCompiledInfo<CompileInfo>();
    info->cores = platform.GetCoreNumAiv();
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, info->ubBytes);
    return ge::GRAPH_SUCCESS;
}

ge::graphStatus InferShape(gert::InferShapeContext* context) {
    if (context->GetInputShape(0) == nullptr) {
        return ge::GRAPH_FAILED;
    }
    *context->GetOutputShape(0) = *context->GetInputShape(0);
    context->GetOutputShape(0)->AppendDim(*context->GetAttrs()->GetInt(0));
    return ge::GRAPH_SUCCESS;
}

ge::graphStatus InferShapeRange(gert::InferShapeRangeContext* context) {
    const gert::Range<gert::Shape>* const x = context->GetInputShapeRange(0);
    gert::Range<gert::Shape>* const y = context->GetOutputShapeRange(0);
    *y->GetMin() = *x->GetMin();
    *y->GetMax() = *x->GetMax();
    return ge::GRAPH_SUCCESS;
}

ge::graphStatus InferDataType(gert::InferDataTypeContext* context) {
    return context->SetOutputDataType(0, context->GetInputDataType(1));
}

ge::graphStatus SimplifiedKey(gert::TilingContext*, ge::char_t*) { return ge::GRAPH_SUCCESS; }

IMPL_OP_OPTILING(BuilderProbe)
    .Tiling(Tiling)
    .TilingParse<CompileInfo>(Parse)
    .GenSimplifiedKey(SimplifiedKey);
IMPL_OP_INFERSHAPE(BuilderProbe)
    .InferShape(InferShape)
    .InferShapeRange(InferShapeRange)
    .InferDataType(InferDataType)
    .InputsDataDependency({2});

const gert::OpImplKernelRegistry::OpImplFunctionsV2* Functions() {
    return gert::DefaultOpImplSpaceRegistryV2::GetInstance().GetSpaceRegistry()->GetOpImpl(
        "BuilderProbe");
}

gert::Tensor Tensor(const gert::StorageShape& shape, ge::DataType dataType, void* data = nullptr) {
    return gert::Tensor(shape, {ge::FORMAT_ND, ge::FORMAT_ND},
                        data == nullptr ? gert::kOnDeviceHbm : gert::kOnHost, dataType, data);
}

}  // namespace

TEST(TheRegistryHasWhatIsLinkedIn) {
    const auto* const functions = Functions();
    CHECK(functions != nullptr);
    CHECK(functions->tiling == Tiling);
    CHECK(functions->gen_simplifiedkey == SimplifiedKey);
    CHECK(functions->infer_shape == InferShape);
    CHECK(functions->infer_shape_range == InferShapeRange);
    CHECK(functions->infer_datatype == InferDataType);
    CHECK(functions->IsInputDataDependency(2));
    CHECK(!functions->IsInputDataDependency(1));
    CHECK(!functions->IsInputDataDependency(200));
    // If an OpDef defines an operator, the operator's tiling parse function does nothing.
    auto registry = std::make_shared<gert::OpImplSpaceRegistryV2>();
    const auto* const defined = registry->GetOpImpl("DefinedProbe");
    CHECK(defined != nullptr && defined->tiling != nullptr && defined->infer_shape == nullptr);
    void* const info = defined->compile_info_creator();
    CHECK_EQ(defined->tiling_parse(nullptr), ge::GRAPH_SUCCESS);
    defined->compile_info_deleter(info);
    CHECK(registry->GetOpImpl("Nobody") == nullptr);
    CHECK(registry->GetOpImpl(nullptr) == nullptr);
    CHECK_EQ(registry->AddSoToRegistry(gert::OppSoDesc({"/nowhere/libnot.so"}, "p")),
             ge::GRAPH_FAILED);
    CHECK(MessageHas("/nowhere/libnot.so"));
}

TEST(ParseAndTilingOfAPlatformThatTheTestSets) {
    fe::PlatFormInfos platform;
    CHECK(platform.Init());
    platform.SetPlatformRes("version", {{"Short_SoC_version", "Ascend910B"}});
    platform.SetPlatformRes("SoCInfo", {{"ai_core_cnt", "20"}, {"vector_core_cnt", "33"}});
    platform.SetPlatformRes("AICoreSpec", {{"ub_size", "1256"}});
    platform.SetCoreNumByCoreType("AICore");
    CHECK_EQ(platform.GetCoreNum(), 20u);
    CompileInfo info;
    auto parse = gert::OpTilingParseContextBuilder()
                     .OpType("BuilderProbe")
                     .CompiledJson("{}")
                     .PlatformInfo(&platform)
                     .CompiledInfo(&info)
                     .Build();
    CHECK(std::string(parse.GetContext()->GetCompiledJson()) == "{}");
    auto* const kernel = static_cast<gert::KernelContext*>(static_cast<void*>(parse.GetContext()));
    CHECK_EQ(Functions()->tiling_parse(kernel), ge::GRAPH_SUCCESS);
    CHECK_EQ(info.cores, 33u);
    CHECK_EQ(info.ubBytes, 1000u);
}

TEST(TilingOfADynamicInputIntoMemoryOfTheTest) {
    CompileInfo info;
    info.cores = 33;
    int64_t values[] = {5, 4096};
    gert::Tensor a = Tensor({{4, 8}, {4, 8}}, ge::DT_FLOAT);
    gert::Tensor b = Tensor({{3}, {3}}, ge::DT_FLOAT);
    gert::Tensor sizes = Tensor({{2}, {2}}, ge::DT_INT64, values);
    gert::Tensor y = Tensor({{9}, {9}}, ge::DT_BF16);
    auto data = gert::TilingData::CreateCap(64);
    auto workspaces = gert::ContinuousVector::Create<size_t>(4);
    auto holder = gert::OpTilingContextBuilder()
                      .OpType("BuilderProbe")
                      .OpName("first")
                      .IOInstanceNum({2, 0, 1}, {1})
                      .AppendAttr(int64_t{42})
                      .AppendAttr(ge::AscendString("text"))
                      .AppendAttr(std::vector<int64_t>{1, 2})
                      .InputTensors({&a, &b, &sizes})
                      .OutputTensors({&y})
                      .CompileInfo(&info)
                      .TilingData(reinterpret_cast<gert::TilingData*>(data.get()))
                      .Workspace(reinterpret_cast<gert::ContinuousVector*>(workspaces.get()))
                      .Build();
    gert::TilingContext* const context = holder.GetContext();
    CHECK_EQ(std::string(context->GetNodeName()), "first");
    CHECK_EQ(context->GetComputeNodeInputNum(), 3u);
    CHECK_EQ(context->GetIrInputsNum(), 3u);
    CHECK_EQ(Functions()->tiling(context), ge::GRAPH_SUCCESS);
    CHECK_EQ(context->GetTilingKey(), 42u);
    CHECK_EQ(context->GetBlockDim(), 33u);
    CHECK_EQ(context->GetOutputDesc(0)->GetDataType(), ge::DT_BF16);
    CHECK_EQ(context->GetAttrs()->GetListInt(2)->GetSize(), 2u);
    const auto* const written = static_cast<const Data*>(context->GetRawTilingData()->GetData());
    CHECK_EQ(written->elements, 35);
    CHECK_EQ(written->parts, 2);
    auto* const vector = reinterpret_cast<gert::ContinuousVector*>(workspaces.get());
    CHECK_EQ(vector->GetSize(), 1u);
    CHECK_EQ(*static_cast<const size_t*>(vector->GetData()), 4096u);
    auto* const values0 = static_cast<gert::KernelContext*>(static_cast<void*>(context));
    CHECK_EQ(*values0->GetOutputPointer<uint64_t>(0), 42u);
    CHECK_EQ(*values0->GetOutputPointer<uint32_t>(1), 33u);
    CHECK(values0->GetOutputPointer<uint32_t>(99) == nullptr);
}

TEST(AnOptionalInputAndRoomThatIsTooSmall) {
    int64_t values[] = {1, 2};
    gert::Tensor a = Tensor({{4}, {4}}, ge::DT_FLOAT);
    gert::Tensor mask = Tensor({{4}, {4}}, ge::DT_BOOL);
    gert::Tensor sizes = Tensor({{2}, {2}}, ge::DT_INT64, values);
    CompileInfo info;
    gert::OpTilingContextBuilder builder;
    auto holder = builder.OpType("BuilderProbe")
                      .IONum(3, 1)
                      .AppendAttr(int64_t{1})
                      .InputTensors({&a, &mask, &sizes})
                      .CompileInfo(&info)
                      .Build();
    CHECK_EQ(Functions()->tiling(holder.GetContext()), ge::GRAPH_SUCCESS);
    CHECK_EQ(holder.GetContext()->GetTilingKey(), 7u);
    CHECK(holder.GetContext()->GetPlatformInfo()->GetCoreNum() > 0);
    gert::OpTilingContextBuilder small;
    auto tight = small.OpType("BuilderProbe")
                     .IONum(3, 1)
                     .AppendAttr(int64_t{1})
                     .InputTensors({&a, &mask, &sizes})
                     .CompileInfo(&info)
                     .TilingDataSize(8)
                     .Build();
    CHECK_EQ(Functions()->tiling(tight.GetContext()), ge::GRAPH_FAILED);
    CHECK(MessageHas("no room for 16 bytes"));
}

TEST(InferenceOfShapesRangesAndTypes) {
    gert::Tensor x = Tensor({{4, 5}, {4, 5}}, ge::DT_FLOAT16);
    gert::OpInferShapeContextBuilder shapes;
    auto holder = shapes.OpType("BuilderProbe")
                      .IONum(1, 1)
                      .AppendAttr(int64_t{6})
                      .InputTensors({&x})
                      .OutputTensorDesc(0, ge::DT_FLOAT, ge::FORMAT_ND, ge::FORMAT_NCHW)
                      .Build();
    gert::InferShapeContext* const context = holder.GetContext();
    CHECK_EQ(Functions()->infer_shape(context), ge::GRAPH_SUCCESS);
    CHECK(*context->GetOutputShape(0) == gert::Shape({4, 5, 6}));
    CHECK_EQ(context->GetOutputDesc(0)->GetStorageFormat(), ge::FORMAT_NCHW);
    CHECK_EQ(context->GetInputDesc(0)->GetDataType(), ge::DT_FLOAT16);
    // An input whose value pointer is set to null counts as absent.
    auto* const raw = reinterpret_cast<KernelRunContext*>(context);
    CHECK_EQ(raw->input_size, 1u);
    raw->values[0]->data.pointer = nullptr;
    CHECK_EQ(Functions()->infer_shape(context), ge::GRAPH_FAILED);

    gert::Tensor least = Tensor({{1, 2}, {1, 2}}, ge::DT_FLOAT);
    gert::Tensor greatest = Tensor({{8, -1}, {8, -1}}, ge::DT_FLOAT);
    gert::Range<gert::Tensor> range(&least, &greatest);
    gert::OpInferShapeRangeContextBuilder ranges;
    auto ranged = ranges.OpType("BuilderProbe")
                      .IONum(1, 1)
                      .InputTensorsRange({&range})
                      .OutputTensorDesc(0, ge::DT_FLOAT, ge::FORMAT_ND, ge::FORMAT_ND)
                      .Build();
    CHECK_EQ(Functions()->infer_shape_range(ranged.GetContext()), ge::GRAPH_SUCCESS);
    CHECK(*ranged.GetContext()->GetOutputShapeRange(0)->GetMax() == gert::Shape({8, -1}));
    CHECK(*ranged.GetContext()->GetOutputShapeRange(0)->GetMin() == gert::Shape({1, 2}));

    gert::OpInferDataTypeContextBuilder types;
    auto typed = types.OpType("BuilderProbe")
                     .IONum(2, 1)
                     .InputTensorDesc(0, ge::DT_INT8, ge::FORMAT_ND, ge::FORMAT_ND)
                     .InputTensorDesc(1, ge::DT_BF16, ge::FORMAT_ND, ge::FORMAT_ND)
                     .OutputTensorDesc(0, ge::FORMAT_ND, ge::FORMAT_ND)
                     .Build();
    CHECK_EQ(Functions()->infer_datatype(typed.GetContext()), ge::GRAPH_SUCCESS);
    CHECK_EQ(typed.GetContext()->GetOutputDataType(0), ge::DT_BF16);
}

TEST(TensorsWithDataBehindThem) {
    size_t bytes = 0;
    auto memory = gert::Tensor::CreateFollowing(3, ge::DT_INT32, bytes);
    auto* const tensor = reinterpret_cast<gert::Tensor*>(memory.get());
    CHECK_EQ(bytes, sizeof(gert::Tensor) + 12);
    CHECK_EQ(tensor->GetSize(), 12u);
    CHECK(static_cast<void*>(tensor->GetData<int32_t>()) == static_cast<void*>(tensor + 1));
    tensor->SetData(gert::TensorData(&bytes));
    CHECK(tensor->GetAddr() == &bytes);
}

TEST(PlatformsOfTheOlderForm) {
    fe::PlatformInfoManager& manager = fe::PlatformInfoManager::Instance();
    fe::OptionalInfo wanted;
    wanted.soc_version = "SomeChip";
    manager.SetOptionalCompilationInfo(wanted);
    fe::PlatformInfo info;
    fe::OptionalInfo optional;
    CHECK(manager.GetPlatformInfoWithOutSocVersion(info, optional) != 0);
    fe::PlatFormInfos other;
    other.SetPlatformRes("version", {{"Short_SoC_version", "Ascend310P"}, {"NpuArch", "2002"}});
    platform_ascendc::PlatformAscendC platform(&other);
    CHECK(platform.GetSocVersion() == platform_ascendc::SocVersion::ASCEND310P);
    CHECK(platform.GetCurNpuArch() == NpuArch::DAV_2002);
    // The system reserves a part of the unified buffer on A2 and A3 only.
    uint64_t bytes = 0;
    other.SetPlatformRes("AICoreSpec", {{"ub_size", "1256"}});
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, bytes);
    CHECK_EQ(bytes, 1256u);
    fe::PlatFormInfos nobody;
    platform_ascendc::PlatformAscendC unknown(&nobody);
    CHECK(unknown.GetSocVersion() == platform_ascendc::SocVersion::RESERVED_VERSION);
    CHECK(unknown.GetCurNpuArch() == NpuArch::DAV_RESV);
    // An empty name means the twin's default SoC family.
    nobody.SetPlatformRes("version", {{"Short_SoC_version", ""}, {"NpuArch", ""}});
    CHECK(unknown.GetSocVersion() == platform_ascendc::SocVersion::ASCEND910B);
    CHECK(unknown.GetCurNpuArch() == NpuArch::DAV_2201);
    std::string text;
    CHECK(!nobody.GetPlatformRes("AICoreSpec", "ub_size", text));
}

TEST(AnInputWithoutATensorIsNull) {
    gert::Tensor a = Tensor({{4, 8}, {4, 8}}, ge::DT_FLOAT);
    for (const std::vector<gert::Tensor*>& tensors :
         {std::vector<gert::Tensor*>{&a, nullptr}, std::vector<gert::Tensor*>{&a}}) {
        auto holder = gert::OpInferShapeContextBuilder()
                          .OpType("BuilderProbe")
                          .IOInstanceNum({1, 1}, {1})
                          .InputTensors(tensors)
                          .Build();
        const gert::InferShapeContext* const context = holder.GetContext();
        CHECK(context->GetInputShape(0) != nullptr);
        CHECK(context->GetInputShape(1) == nullptr);
        CHECK(context->GetInputTensor(1) == nullptr);
    }
    auto twice = gert::OpInferShapeContextBuilder()
                     .OpType("BuilderProbe")
                     .IOInstanceNum({1}, {1})
                     .InputTensors({&a})
                     .InputTensors({&a})
                     .Build();
    CHECK_EQ(twice.GetContext()->GetComputeNodeInputNum(), 1u);
}

TEST(GraphNodesNamesAndMessages) {
    ge::op::BuilderProbe node;
    ge::TensorDesc desc(ge::Shape({2, 3}), ge::FORMAT_NHWC, ge::DT_BF16);
    CHECK_EQ(node.GetInputsSize(), 1u);  // without the optional input
    CHECK_EQ(node.UpdateInputDesc("mask", desc), ge::GRAPH_SUCCESS);
    CHECK_EQ(node.GetInputsSize(), 2u);
    CHECK_EQ(node.UpdateInputDesc("nobody", desc), ge::GRAPH_FAILED);
    CHECK(node.GetInputDesc(1).GetShape().GetDims() == std::vector<int64_t>({2, 3}));
    CHECK_EQ(node.GetOutputsSize(), 1u);
    node.SetAttr("scale", 2.5f).SetAttr("sizes", std::vector<int64_t>{4});
    float scale = 0;
    int64_t wrong = 0;
    CHECK_EQ(node.GetAttr("scale", scale), ge::GRAPH_SUCCESS);
    CHECK_EQ(scale, 2.5f);
    CHECK_EQ(node.GetAttr("scale", wrong), ge::GRAPH_FAILED);
    CHECK_EQ(node.GetAllAttrNamesAndTypes().at("sizes"), "VT_LIST_INT");
    ge::Tensor none;
    CHECK_EQ(ge::Graph().AddNodeByOp(node).GetInputConstData(0, none), ge::GRAPH_FAILED);

    CHECK_EQ(ge::TypeUtils::DataTypeToSerialString(ge::DT_BF16), "DT_BF16");
    CHECK_EQ(ge::TypeUtils::SerialStringToDataType("DT_INT4"), ge::DT_INT4);
    CHECK_EQ(ge::TypeUtils::SerialStringToDataType("DT_NOTHING"), ge::DT_UNDEFINED);
    CHECK_EQ(ge::TypeUtils::FormatToSerialString(ge::FORMAT_FRACTAL_NZ), "FRACTAL_NZ");
    CHECK_EQ(std::string(ge::GetFormatName(ge::FORMAT_NDHWC)), "NDHWC");
    CHECK_EQ(ge::TypeUtils::SerialStringToFormat("ND"), ge::FORMAT_ND);
    REPORT_INNER_ERR_MSG("E89999", "%s is %d", "k", 3);
    CHECK(MessageHas("E89999 k is 3"));
    REPORT_PREDEFINED_ERR_MSG("EZ0001", std::vector<const char*>({"index"}),
                              std::vector<const char*>({"2"}));
    CHECK(MessageHas("EZ0001 index: 2"));
    OP_LOGE("probe", "broken at %d", 5);
    CHECK(MessageHas("probe: broken at 5"));
    OP_LOGD("probe", "nobody asked");
    CHECK_EQ(Message(), "");
}

int main(int argc, char** argv) { return check::RunTests(argc, argv); }
