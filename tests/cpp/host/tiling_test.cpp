// SPDX-License-Identifier: Apache-2.0
// Tests of the values that tiling and inference functions read and write, of the layout of tiling
// data from macros, and of the platform of every SoC.
#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "acl/acl.h"
#include "check.h"
#include "graph/operator_reg.h"
#include "hccl/hcom.h"
#include "host/op_node.h"
#include "register/op_def_registry.h"
#include "register/tilingdata_base.h"
#include "soc/soc.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/tiling_api.h"
#include "utils/log/asc_cpu_log.h"

// tiling_api.h and hcom.h declare these for tiling sources.
static_assert(std::is_same<decltype(AscendC::BLOCK_CUBE), const uint32_t>::value &&
                  AscendC::BLOCK_CUBE == 16 && AscendC::ONE_BLK_SIZE == 32,
              "sizes of a fractal and of a block");
static_assert(sizeof(matmul_tiling::half) == 8, "as in the toolkit");
static_assert(HCCL_SUCCESS == 0 && std::is_same<HcclComm, void*>::value, "types of hcom.h");

using platform_ascendc::CoreMemType;
using platform_ascendc::PlatformAscendC;
using twin::host::OpNode;

namespace optiling {

BEGIN_TILING_DATA_DEF(InnerTiling)
TILING_DATA_FIELD_DEF(uint8_t, flag);
TILING_DATA_FIELD_DEF(uint32_t, count);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(InnerTilingOp, InnerTiling)

BEGIN_TILING_DATA_DEF(OuterTiling)
TILING_DATA_FIELD_DEF(uint16_t, head);
TILING_DATA_FIELD_DEF_ARR(int32_t, 3, sizes);
TILING_DATA_FIELD_DEF_STRUCT(InnerTiling, inner);
TILING_DATA_FIELD_DEF(int64_t, total);
TILING_DATA_FIELD_DEF(uint8_t, tail);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(LayoutProbe, OuterTiling)

}  // namespace optiling

namespace {

/// Structs with the layout that the tiling macros must produce.
struct PlainInner {
    uint8_t flag;
    uint32_t count;
} __attribute__((aligned(8)));
struct PlainOuter {
    uint16_t head;
    int32_t sizes[3];
    PlainInner inner;
    int64_t total;
    uint8_t tail;
} __attribute__((aligned(8)));

struct CompileInfo {
    uint32_t cores = 0;
};
int parses = 0;

uint32_t Parse(gert::TilingParseContext* context) {
    ++parses;
    context->GetCompiledInfo<CompileInfo>()->cores =
        PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAiv();
    return ge::GRAPH_SUCCESS;
}

uint32_t Tile(gert::TilingContext* context) {
    context->SetBlockDim(context->GetCompileInfo<CompileInfo>()->cores);
    context->SetScheduleMode(1);
    context->SetTilingKey(11000000000000000003ULL);
    *context->GetRawTilingData() << uint32_t{1} << uint64_t{2};
    return ge::GRAPH_SUCCESS;
}

uint32_t Infer(gert::InferShapeContext* context) {
    *context->GetOutputShape(0) = *context->GetInputShape(0);
    context->GetOutputShape(0)->SetDim(0, 2 * context->GetInputShape(0)->GetDim(0));
    return context->GetOptionalInputShape(1) == nullptr ? ge::GRAPH_SUCCESS : ge::GRAPH_FAILED;
}

uint32_t InferType(gert::InferDataTypeContext* context) {
    return context->SetOutputDataType(0, context->GetInputDataType(0));
}

uint32_t Throw(gert::TilingContext*) { throw std::runtime_error("out of ideas"); }

IMPL_OP_OPTILING(RegisteredProbe).Tiling(Tile, 64).TilingParse<CompileInfo>(Parse);
IMPL_OP_INFERSHAPE(RegisteredProbe).InferShape(Infer).InferDataType(InferType);
IMPL_OP(ThrowingProbe).Tiling(Throw);

/// Adds input x (4, 5) in float16, an absent optional input, and one output.
void Describe(OpNode* node) {
    node->AddInput({4, 5}, ge::DT_FLOAT16, ge::FORMAT_ND);
    node->AddAbsentInput();
    node->AddOutput({8, 5}, ge::DT_FLOAT16, ge::FORMAT_ND);
}

const twin::SocInfo& Soc(const char* name) { return *twin::FindSoc(name); }

}  // namespace

namespace ge {
REG_OP(LayoutProbe)
    .INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16}))
    .OPTIONAL_INPUT(bias, "T")
    .OUTPUT(y, "T")
    .ATTR(dim, Int, -1)
    .ATTR(sizes, ListInt, {1, 2})
    .ATTR(layout, String, "TND")
    .REQUIRED_ATTR(scale, Float)
    .DATATYPE(T, TensorType({DT_FLOAT, DT_BF16}))
    .OP_END_FACTORY_REG(LayoutProbe)
}  // namespace ge

TEST(ContextsShowTheCall) {
    OpNode node("Nobody", Soc("Ascend910B2"), 128);
    Describe(&node);
    node.Attrs().Add(int64_t{-3});
    node.Attrs().Add(2.5f);
    node.Attrs().Add(true);
    node.Attrs().Add(std::string("TND"));
    node.Attrs().Add(std::vector<int64_t>{4, 5});
    node.Attrs().Add(twin::host::ListListInt{{1}, {2, 3}});
    gert::TilingContext* const context = node.Tiling();
    CHECK_EQ(context->GetInputShape(0)->GetStorageShape().GetDim(1), 5);
    CHECK_EQ(context->GetInputShape(0)->GetOriginShape().GetShapeSize(), 20);
    CHECK(context->GetInputShape(1) != nullptr);
    CHECK(context->GetInputShape(2) == nullptr);
    CHECK(context->GetOptionalInputShape(1) == nullptr);
    CHECK(context->GetOptionalInputDesc(1) == nullptr);
    CHECK(context->GetOptionalInputTensor(1) == nullptr);
    CHECK_EQ(context->GetIrInputInstanceInfo(1)->GetInstanceNum(), 0u);
    CHECK_EQ(context->GetComputeNodeInputNum(), 2u);
    CHECK_EQ(static_cast<int>(context->GetInputDesc(0)->GetDataType()),
             static_cast<int>(ge::DT_FLOAT16));
    CHECK_EQ(context->GetOutputShape(0)->GetStorageShape().GetDim(0), 8);
    CHECK(context->GetOutputShape(1) == nullptr);
    const gert::RuntimeAttrs* const attrs = context->GetAttrs();
    CHECK_EQ(attrs->GetAttrNum(), 6u);
    CHECK_EQ(*attrs->GetInt(0), -3);
    CHECK_EQ(*attrs->GetAttrPointer<int32_t>(0), -3);
    CHECK_EQ(*attrs->GetFloat(1), 2.5f);
    CHECK(*attrs->GetBool(2));
    CHECK_EQ(std::string(attrs->GetStr(3)), "TND");
    CHECK_EQ(attrs->GetListInt(4)->GetSize(), 2u);
    CHECK_EQ(attrs->GetListInt(4)->GetData()[1], 5);
    CHECK_EQ(attrs->GetListListInt(5)->Get(1)->GetSize(), 2u);
    CHECK(attrs->GetInt(6) == nullptr);
    CHECK_EQ(std::string(context->GetNodeType()), "Nobody");
}

TEST(TilingDataStaysInItsCapacity) {
    OpNode node("Nobody", Soc("Ascend910B2"), 12);
    gert::TilingContext* const context = node.Tiling();
    CHECK(context->GetTilingData<uint64_t[2]>() == nullptr);
    CHECK(context->GetTilingData<uint64_t>() != nullptr);
    CHECK_EQ(context->GetRawTilingData()->GetDataSize(), 8u);
    CHECK_EQ(context->GetRawTilingData()->Append(uint32_t{1}), ge::GRAPH_SUCCESS);
    CHECK_EQ(context->GetRawTilingData()->Append(uint8_t{1}), ge::GRAPH_FAILED);
    CHECK(context->GetWorkspaceSizes(21) == nullptr);
    CHECK(context->GetWorkspaceSizes(20) != nullptr);
    CHECK_EQ(context->GetWorkspaceNum(), 20u);
}

TEST(RegisteredFunctionsRun) {
    std::string error;
    for (const char* soc : {"Ascend910B2", "Ascend910B4", "Ascend910B2"}) {
        OpNode node("RegisteredProbe", Soc(soc), 64);
        Describe(&node);
        CHECK_EQ(RunTiling(&node, &error), ge::GRAPH_SUCCESS);
        CHECK_EQ(node.result.blockDim, Soc(soc).aivCores);
        CHECK_EQ(node.result.scheduleMode, 1u);
        CHECK_EQ(node.result.tilingKey, 11000000000000000003ULL);
        CHECK_EQ(node.tilingData.GetDataSize(), 12u);
        CHECK_EQ(RunInferShape(&node, &error), ge::GRAPH_SUCCESS);
        CHECK(*node.InferShape()->GetOutputShape(0) == gert::Shape({8, 5}));
        CHECK_EQ(RunInferDataType(&node, &error), ge::GRAPH_SUCCESS);
        CHECK_EQ(static_cast<int>(node.InferDataType()->GetOutputDataType(0)),
                 static_cast<int>(ge::DT_FLOAT16));
    }
    CHECK_EQ(parses, 2);
    OpNode throwing("ThrowingProbe", Soc("Ascend910B2"), 64);
    CHECK_EQ(RunTiling(&throwing, &error), ge::GRAPH_FAILED);
    CHECK(error.find("out of ideas") != std::string::npos);
    CHECK_EQ(RunInferShape(&throwing, &error), ge::GRAPH_FAILED);
}

TEST(MacroTilingHasTheLayoutOfAStruct) {
    optiling::OuterTiling tiling;
    CHECK_EQ(tiling.GetDataSize(), sizeof(PlainOuter));
    tiling.set_head(7);
    const int32_t sizes[] = {1, -2, 3};
    tiling.set_sizes(sizes);
    tiling.inner.set_flag(9);
    tiling.inner.set_count(77);
    tiling.set_total(-5);
    tiling.set_tail(200);
    PlainOuter plain = {};
    tiling.SaveToBuffer(&plain, sizeof(plain) - 1);
    CHECK_EQ(plain.head, 0);
    tiling.SaveToBuffer(&plain, sizeof(plain));
    CHECK_EQ(plain.head, 7);
    CHECK_EQ(plain.sizes[1], -2);
    CHECK_EQ(static_cast<int>(plain.inner.flag), 9);
    CHECK_EQ(plain.inner.count, 77u);
    CHECK_EQ(plain.total, -5);
    CHECK_EQ(static_cast<int>(plain.tail), 200);
    CHECK_EQ(tiling.get_sizes()[2], 3);
    CHECK_EQ(tiling.inner.get_count(), 77u);
}

TEST(BoundTilingWritesInPlace) {
    PlainOuter plain = {};
    optiling::OuterTiling tiling;
    tiling.SetDataPtr(&plain);
    tiling.set_total(11);
    tiling.inner.set_count(12);
    CHECK_EQ(plain.total, 11);
    CHECK_EQ(plain.inner.count, 12u);
    PlainOuter other = {};
    tiling.SaveToBuffer(&other, sizeof(other));
    CHECK_EQ(other.total, 0);
    const auto made =
        optiling::CTilingDataClassFactory::GetInstance().CreateTilingDataInstance("LayoutProbe");
    CHECK(made != nullptr);
    CHECK_EQ(made->GetDataSize(), sizeof(PlainOuter));
    CHECK(optiling::CTilingDataClassFactory::GetInstance().CreateTilingDataInstance("Nobody") ==
          nullptr);
}

TEST(PlatformOfEveryChip) {
    for (size_t i = 0; i < twin::SocCount(); ++i) {
        const twin::SocInfo& soc = twin::SocAt(i);
        fe::PlatFormInfos infos(soc);
        const PlatformAscendC platform(&infos);
        uint64_t bytes = 0;
        CHECK_EQ(platform.GetCoreNumAiv(), 2 * platform.GetCoreNumAic());
        CHECK(platform.GetCoreNumAic() == 24 || platform.GetCoreNumAic() == 20);
        CHECK_EQ(platform.GetCoreNum(), platform.GetCoreNumAic());
        CHECK_EQ(platform.GetCoreNumVector(), 0u);
        platform.GetCoreMemSize(CoreMemType::UB, bytes);
        CHECK_EQ(bytes, 196352u);
        platform.GetCoreMemSize(CoreMemType::L1, bytes);
        CHECK_EQ(bytes, 524032u);
        platform.GetCoreMemSize(CoreMemType::L0_A, bytes);
        CHECK_EQ(bytes, 65536u);
        platform.GetCoreMemSize(CoreMemType::L0_B, bytes);
        CHECK_EQ(bytes, 65536u);
        platform.GetCoreMemSize(CoreMemType::L0_C, bytes);
        CHECK_EQ(bytes, 131072u);
        platform.GetCoreMemSize(CoreMemType::L2, bytes);
        CHECK(bytes == 201326592u || bytes == 176160768u || bytes == 100663296u);
        platform.GetCoreMemBw(CoreMemType::L2, bytes);
        CHECK_EQ(bytes, 110u);
        platform.GetCoreMemBw(CoreMemType::HBM, bytes);
        CHECK_EQ(bytes, 32u);
        CHECK_EQ(platform.GetLibApiWorkSpaceSize(), 16777216u);
        CHECK(platform.GetSocVersion() == platform_ascendc::SocVersion::ASCEND910B);
        std::string name;
        CHECK(infos.GetPlatformRes("version", "SoC_version", name));
        CHECK_EQ(name, soc.name);
        CHECK(!infos.GetPlatformRes("version", "nothing", name));
    }
}

TEST(PlatformNumbersOfSelectedChips) {
    struct Expected {
        const char* soc;
        uint32_t aic;
        uint64_t l2;
    };
    for (const Expected& want :
         {Expected{"Ascend910B1", 24, 201326592}, Expected{"Ascend910B3", 20, 201326592},
          Expected{"Ascend910B4", 20, 100663296}, Expected{"Ascend910B4-1", 20, 176160768},
          Expected{"Ascend910_9392", 24, 201326592}, Expected{"Ascend910_9362", 20, 176160768}}) {
        fe::PlatFormInfos infos(Soc(want.soc));
        const PlatformAscendC platform(&infos);
        uint64_t l2 = 0;
        platform.GetCoreMemSize(CoreMemType::L2, l2);
        CHECK_EQ(platform.GetCoreNumAic(), want.aic);
        CHECK_EQ(l2, want.l2);
    }
    PlatformAscendC* const manager =
        platform_ascendc::PlatformAscendCManager::GetInstance("Ascend910B4");
    CHECK(manager != nullptr && manager->GetCoreNumAiv() == 40);
    CHECK(platform_ascendc::PlatformAscendCManager::GetInstance() == manager);
}

TEST(BlocksOfMixKernels) {
    fe::PlatFormInfos infos(Soc("Ascend910B2"));
    const PlatformAscendC platform(&infos);
    CHECK_EQ(platform.CalcTschBlockDim(5, 0, 48), 5u);
    CHECK_EQ(platform.CalcTschBlockDim(5, 24, 48), 3u);
    CHECK_EQ(platform.CalcTschBlockDim(48, 24, 48), 24u);
    CHECK_EQ(platform.CalcTschBlockDim(50, 24, 48), 0u);
    CHECK_EQ(platform.CalcTschNumBlocks(5, 24, 48), 3u);
}

TEST(ReservedBytesAreTakenFromUb) {
    using platform_ascendc::ReservedSize;
    fe::PlatFormInfos infos(Soc("Ascend910B2"));
    PlatformAscendC platform(&infos);
    uint64_t all = 0, ub = 0, l1 = 0, l1Before = 0;
    platform.GetCoreMemSize(CoreMemType::UB, all);
    platform.GetCoreMemSize(CoreMemType::L1, l1Before);
    platform.ReserveLocalMemory(ReservedSize::RESERVED_SIZE_32K);
    platform.ReserveLocalMemory(ReservedSize::RESERVED_SIZE_16K);  // the last call counts
    platform.GetCoreMemSize(CoreMemType::UB, ub);
    platform.GetCoreMemSize(CoreMemType::L1, l1);
    CHECK_EQ(ub, all - 16 * 1024);
    CHECK_EQ(l1, l1Before);
}

TEST(LogsOfHostFunctions) {
    ASC_CPU_LOG_INFO("not an error");
    ASC_CPU_LOG_ERROR("%d rows are too many", 7);
    CHECK(std::strstr(aclGetRecentErrMsg(), "7 rows are too many") != nullptr);
}

TEST(GraphPrototypesCanBeRead) {
    const ge::op::LayoutProbe prototype;
    CHECK_EQ(prototype.Prototype().size(), 8u);
    CHECK_EQ(prototype.Prototype()[3].kind, "attr");
    CHECK_EQ(prototype.Prototype()[3].name, "dim");
    CHECK_EQ(prototype.Prototype()[3].type, "Int");
}

TEST(SizesOfTypes) {
    CHECK_EQ(ge::GetSizeInBytes(3, ge::DT_INT4), 2);
    CHECK_EQ(ge::GetSizeInBytes(3, ge::DT_BF16), 6);
    CHECK_EQ(ge::GetSizeInBytes(-1, ge::DT_BF16), -1);
    CHECK_EQ(ge::GetSizeInBytes(int64_t{1} << 62, ge::DT_INT64), -1);
    CHECK_EQ(ge::GetSizeByDataType(ge::DT_STRING), -1);
}

/// These sizes do not fit into the 32-bit fields of a tiling. In an earlier version, the first size
/// caused a division by 0.
TEST(RowsBeyondThirtyTwoBits) {
    constexpr int64_t kBeyond = int64_t{1} << 32;
    CHECK_EQ(AscendC::GetSoftMaxMaxTmpSize(ge::Shape({1, kBeyond}), 4, false), 0u);
    CHECK_EQ(AscendC::GetSoftMaxMinTmpSize(ge::Shape({kBeyond, 8}), 4, false), 0u);
    CHECK_EQ(AscendC::GetSoftMaxMinTmpSize(ge::Shape({0, 8}), 4, false), 0u);
    CHECK(AscendC::GetSoftMaxMinTmpSize(ge::Shape({2, 8}), 4, false) > 0u);
}

TEST(MatmulTypesOfOtherChipsAreRefused) {
    using matmul_tiling::DataType;
    const auto tile = [](DataType type) {
        matmul_tiling::MatmulApiTiling tiling;
        const auto gm = matmul_tiling::TPosition::GM;
        const auto nd = matmul_tiling::CubeFormat::ND;
        tiling.SetAType(gm, nd, type);
        tiling.SetBType(gm, nd, type);
        tiling.SetCType(gm, nd, DataType::DT_FLOAT);
        tiling.SetShape(32, 32, 64);
        tiling.SetOrgShape(32, 32, 64);
        TCubeTiling result;
        return tiling.GetTiling(result);
    };
    CHECK_EQ(tile(DataType::DT_FLOAT16), 0);
    CHECK_EQ(tile(DataType::DT_FLOAT8_E4M3FN), -1);
    CHECK_EQ(tile(DataType::DT_FLOAT4_E1M2), -1);
}

int main(int argc, char** argv) { return check::RunTests(argc, argv); }
