// SPDX-License-Identifier: Apache-2.0
// Computes tilings of Matmul, and scratch sizes for functions of the advanced API.
#include <algorithm>
#include <cctype>
#include <stdexcept>

#include "host/error.h"
#include "host/op_model.h"
#include "host/runtime.h"
#include "host/workbench/workbench.h"
#include "platform/platform_info.h"
#include "tiling/tiling_api.h"

namespace twin::host {
namespace {

using namespace matmul_tiling;

struct Operand {
    TPosition position;
    CubeFormat format;
    DataType dataType;
    bool transposed;
};

Operand OperandOf(const Json& json) {
    // Matmul's DataType has the numbers of ge::DataType, and a second number for bfloat16.
    return {static_cast<TPosition>(IntegerOf(Member(json, "position"))),
            static_cast<CubeFormat>(IntegerOf(Member(json, "format"))),
            static_cast<DataType>(DataTypeOf(Member(json, "dtype"))),
            TruthOf(Member(json, "transposed"))};
}

/// Reads the `count` arguments of a setter; returns false if the request has no such setter.
bool Numbers(const Json& request, const char* name, size_t count, std::vector<int32_t>* numbers) {
    const Json& list = Member(request, name);
    if (list.kind == Json::Kind::kNull) {
        return false;
    }
    for (int64_t number : IntegersOf(list)) {
        numbers->push_back(static_cast<int32_t>(number));
    }
    if (numbers->size() != count) {
        throw std::invalid_argument(std::string(name) + ": a wrong number of arguments");
    }
    return true;
}

void SetOperands(const Json& request, MatmulApiTilingBase* tiling) {
    const Operand a = OperandOf(Member(request, "a"));
    const Operand b = OperandOf(Member(request, "b"));
    const Operand c = OperandOf(Member(request, "c"));
    tiling->SetAType(a.position, a.format, a.dataType, a.transposed);
    tiling->SetBType(b.position, b.format, b.dataType, b.transposed);
    tiling->SetCType(c.position, c.format, c.dataType);
    if (Member(request, "bias").kind != Json::Kind::kNull) {
        const Operand bias = OperandOf(Member(request, "bias"));
        tiling->SetBiasType(bias.position, bias.format, bias.dataType);
        tiling->EnableBias(true);
    }
}

void SetSizes(const Json& request, MatmulApiTilingBase* tiling) {
    const auto set = [&request](const char* name, size_t count, const auto& setter) {
        std::vector<int32_t> v;
        if (Numbers(request, name, count, &v)) {
            setter(v.data());
        }
    };
    set("shape", 3, [&](const int32_t* v) { tiling->SetShape(v[0], v[1], v[2]); });
    set("org_shape", 4, [&](const int32_t* v) { tiling->SetOrgShape(v[0], v[1], v[2], v[3]); });
    set("fix_split", 3, [&](const int32_t* v) { tiling->SetFixSplit(v[0], v[1], v[2]); });
    set("buffer_space", 4,
        [&](const int32_t* v) { tiling->SetBufferSpace(v[0], v[1], v[2], v[3]); });
    set("split_range", 6,
        [&](const int32_t* v) { tiling->SetSplitRange(v[0], v[1], v[2], v[3], v[4], v[5]); });
    set("double_buffer", 3,
        [&](const int32_t* v) { tiling->SetDoubleBuffer(v[0] != 0, v[1] != 0, v[2] != 0, false); });
    set("traverse", 1,
        [&](const int32_t* v) { tiling->SetTraverse(static_cast<MatrixTraverse>(v[0])); });
    set("batch", 2, [&](const int32_t* v) {
        std::vector<int32_t> shape;
        Numbers(request, "shape", 3, &shape);
        tiling->SetBatchInfoForNormal(v[0], v[1], shape[0], shape[1], shape[2]);
    });
    set("a_layout", 5, [&](const int32_t* v) { tiling->SetALayout(v[0], v[1], v[2], v[3], v[4]); });
    set("b_layout", 5, [&](const int32_t* v) { tiling->SetBLayout(v[0], v[1], v[2], v[3], v[4]); });
    set("c_layout", 5, [&](const int32_t* v) { tiling->SetCLayout(v[0], v[1], v[2], v[3], v[4]); });
    set("batch_num", 1, [&](const int32_t* v) { tiling->SetBatchNum(v[0]); });
}

void SetCores(const Json& request, MultiCoreMatmulTiling* tiling) {
    std::vector<int32_t> single;
    std::vector<int32_t> align;
    tiling->SetDim(static_cast<int32_t>(IntegerOf(Member(request, "cores"))));
    tiling->EnableMultiCoreSplitK(TruthOf(Member(request, "split_k")));
    if (Numbers(request, "single_shape", 3, &single)) {
        tiling->SetSingleShape(single[0], single[1], single[2]);
    }
    if (Numbers(request, "align_split", 3, &align)) {
        tiling->SetAlignSplit(align[0], align[1], align[2]);
    }
}

using Arguments = LibraryArguments;
using Answer = LibraryTiling;

using OfShape = void (*)(const ge::Shape&, uint32_t, bool, uint32_t&, uint32_t&);

template <OfShape function>
void Scratch(const Arguments& from, Answer* to) {
    function(from.Shape(), from.Size(), from.Reuse(), to->most, to->least);
}

void Exp(const Arguments& from, Answer* to) {
    to->refused =
        !AscendC::GetExpMaxMinTmpSize(from.Shape(), from.Size(), from.Reuse(), to->most, to->least);
}

void Gelu(const Arguments& from, Answer* to) {
    AscendC::GetGeluMaxMinTmpSize(from.Shape(), from.Size(), to->most, to->least);
}

void SwiGlu(const Arguments& from, Answer* to) {
    AscendC::GetSwiGLUMaxMinTmpSize(from.Shape(), from.Size(), to->most, to->least, from.Reuse());
}

void Quant(const Arguments& from, Answer* to) {
    AscendC::GetAscendQuantMaxMinTmpSize(from.Shape(), from.Size(), to->most, to->least);
}

void Dequant(const Arguments& from, Answer* to) {
    AscendC::GetAscendDequantMaxMinTmpSize(from.Shape(), from.Size(), to->most, to->least);
}

void Round(const Arguments& from, Answer* to) {
    AscendC::GetRoundMaxMinTmpSize(*platform_ascendc::PlatformAscendCManager::GetInstance(),
                                   from.Shape(), from.Size(), from.Reuse(), to->most, to->least);
}

void CumSum(const Arguments& from, Answer* to) {
    AscendC::GetCumSumMaxMinTmpSize(from.Shape(), from.Size(), from.Truth("last_axis"),
                                    from.Reuse(), to->most, to->least);
}

void BroadCast(const Arguments& from, Answer* to) {
    AscendC::GetBroadCastMaxMinTmpSize(*platform_ascendc::PlatformAscendCManager::GetInstance(),
                                       from.Shape(), from.Shape("target"), from.Size(),
                                       from.Reuse(), to->most, to->least);
}

std::string LowerCase(std::string name) {
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    return name;
}

}  // namespace

std::string RunMatmulTiling(const Json& request) {
    const SocInfo& soc = SocOf(Member(request, "soc"));
    const SocScope chip(&soc);
    fe::PlatFormInfos infos(soc);
    const platform_ascendc::PlatformAscendC platform(&infos);
    TakeRecentError();
    MultiCoreMatmulTiling several(platform);
    MatmulApiTiling one(platform);
    const bool multi = IntegerOf(Member(request, "cores")) > 1;
    MatmulApiTilingBase* const tiling = multi ? static_cast<MatmulApiTilingBase*>(&several) : &one;
    SetOperands(request, tiling);
    if (multi) {
        SetCores(request, &several);
    }
    SetSizes(request, tiling);
    LibraryTiling answer;
    optiling::TCubeTiling result;
    answer.refused = tiling->GetTiling(result) != 0;
    answer.Keep(result);
    return "{\"status\": " + std::to_string(answer.refused ? kAclnnInvalid : 0) +
           ", \"message\": " + Quoted(answer.refused ? TakeSentence() : "") +
           ", \"form\": " + std::to_string(answer.form) +
           ", \"data\": " + ListOf(answer.data, [](uint8_t byte) { return std::to_string(byte); }) +
           "}";
}

#define TWIN_ELEMENTARY_ROW(API) {LowerCase(#API), Scratch<Get##API##MaxMinTmpSize>},

const LibraryFunctions& LibraryScratch() {
    using namespace AscendC;
    static const auto* const functions = new LibraryFunctions{
        TWIN_ELEMENTARY_SCRATCH(TWIN_ELEMENTARY_ROW){"clamp", Scratch<GetClampMaxMinTmpSize>},
        {"xor", Scratch<GetXorMaxMinTmpSize>},
        {"geglu", Scratch<GetGeGLUMaxMinTmpSize>},
        {"reglu", Scratch<GetReGluMaxMinTmpSize>},
        {"sigmoid", Scratch<GetSigmoidMaxMinTmpSize>},
        {"silu", Scratch<GetSiluTmpSize>},
        {"swish", Scratch<GetSwishTmpSize>},
        {"drop_out", Scratch<GetDropOutMaxMinTmpSize>},
        {"reduce_xor_sum", Scratch<GetReduceXorSumMaxMinTmpSize>},
        {"welford_finalize", Scratch<GetWelfordFinalizeMaxMinTmpSize>},
        {"exp", Exp},
        {"gelu", Gelu},
        {"swiglu", SwiGlu},
        {"ascend_quant", Quant},
        {"ascend_dequant", Dequant},
        {"round", Round},
        {"cum_sum", CumSum},
        {"broad_cast", BroadCast},
    };
    return *functions;
}

}  // namespace twin::host
