// SPDX-License-Identifier: Apache-2.0
// Host functions of the advanced API that return how much scratch their device function needs.
#include "host/workbench/library_tiling.h"
#include "tiling/tiling_api.h"

namespace twin::host {
namespace {

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

}  // namespace

const LibraryFunctions& LibraryScratch() {
    using namespace AscendC;
    static const auto* const functions = new LibraryFunctions{
        {"acos", Scratch<GetAcosMaxMinTmpSize>},
        {"acosh", Scratch<GetAcoshMaxMinTmpSize>},
        {"asin", Scratch<GetAsinMaxMinTmpSize>},
        {"asinh", Scratch<GetAsinhMaxMinTmpSize>},
        {"atan", Scratch<GetAtanMaxMinTmpSize>},
        {"atanh", Scratch<GetAtanhMaxMinTmpSize>},
        {"axpy", Scratch<GetAxpyMaxMinTmpSize>},
        {"ceil", Scratch<GetCeilMaxMinTmpSize>},
        {"clamp", Scratch<GetClampMaxMinTmpSize>},
        {"cos", Scratch<GetCosMaxMinTmpSize>},
        {"cosh", Scratch<GetCoshMaxMinTmpSize>},
        {"digamma", Scratch<GetDigammaMaxMinTmpSize>},
        {"erf", Scratch<GetErfMaxMinTmpSize>},
        {"erfc", Scratch<GetErfcMaxMinTmpSize>},
        {"floor", Scratch<GetFloorMaxMinTmpSize>},
        {"fmod", Scratch<GetFmodMaxMinTmpSize>},
        {"frac", Scratch<GetFracMaxMinTmpSize>},
        {"lgamma", Scratch<GetLgammaMaxMinTmpSize>},
        {"log", Scratch<GetLogMaxMinTmpSize>},
        {"log10", Scratch<GetLog10MaxMinTmpSize>},
        {"log2", Scratch<GetLog2MaxMinTmpSize>},
        {"sign", Scratch<GetSignMaxMinTmpSize>},
        {"sin", Scratch<GetSinMaxMinTmpSize>},
        {"sinh", Scratch<GetSinhMaxMinTmpSize>},
        {"tan", Scratch<GetTanMaxMinTmpSize>},
        {"tanh", Scratch<GetTanhMaxMinTmpSize>},
        {"trunc", Scratch<GetTruncMaxMinTmpSize>},
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
