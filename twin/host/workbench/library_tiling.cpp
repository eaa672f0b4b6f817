// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <stdexcept>
#include <type_traits>

#include "host/error.h"
#include "host/op_model.h"
#include "host/runtime.h"
#include "host/workbench/workbench.h"
#include "tiling/tiling_api.h"

namespace twin::host {
namespace {

using namespace AscendC;
using Arguments = LibraryArguments;
using Answer = LibraryTiling;

/// Fills a tiling object and stores its data. `fill` may return false if there is no tiling.
template <typename Tiling, typename Fill>
void Cut(Answer* answer, const Fill& fill) {
    Tiling tiling;
    if constexpr (std::is_same<decltype(fill(tiling)), bool>::value) {
        answer->refused = !fill(tiling);
    } else {
        fill(tiling);
    }
    answer->Keep(tiling);
}

void SoftMax(const Arguments& from, Answer* to) {
    to->most = GetSoftMaxMaxTmpSize(from.Shape(), from.Size(), false);
    to->least = GetSoftMaxMinTmpSize(from.Shape(), from.Size(), false);
    Cut<optiling::SoftMaxTiling>(to, [&](auto& tiling) {
        SoftMaxTilingFunc(from.Shape(), from.Size(), from.Buffer(to->most), tiling);
    });
}

void LogSoftMax(const Arguments& from, Answer* to) {
    to->most = GetLogSoftMaxMaxTmpSize(from.Shape(), from.Size(), false);
    to->least = GetLogSoftMaxMinTmpSize(from.Shape(), from.Size(), false);
    Cut<optiling::LogSoftMaxTiling>(to, [&](auto& tiling) {
        LogSoftMaxTilingFunc(from.Shape(), from.Size(), from.Buffer(to->most), tiling);
    });
}

void SoftMaxFlash(const Arguments& from, Answer* to) {
    const bool update = from.Truth("update");
    to->most = GetSoftMaxFlashMaxTmpSize(from.Shape(), from.Size(), update, false);
    to->least = GetSoftMaxFlashMinTmpSize(from.Shape(), from.Size(), update, false);
    Cut<optiling::SoftMaxTiling>(to, [&](auto& tiling) {
        SoftMaxFlashTilingFunc(from.Shape(), from.Size(), from.Buffer(to->most), tiling, update);
    });
}

void SoftMaxFlashV2(const Arguments& from, Answer* to) {
    const uint32_t sums = from.Number("sum_size");
    const bool update = from.Truth("update");
    const bool basic = from.Truth("basic_block");
    const bool broadcast = from.Truth("output_broadcast");
    to->most =
        GetSoftMaxFlashV2MaxTmpSize(from.Shape(), from.Size(), sums, update, basic, broadcast);
    to->least =
        GetSoftMaxFlashV2MinTmpSize(from.Shape(), from.Size(), sums, update, basic, broadcast);
    Cut<optiling::SoftMaxTiling>(to, [&](auto& tiling) {
        SoftMaxFlashV2TilingFunc(from.Shape(), from.Size(), sums, from.Buffer(to->most), tiling,
                                 update, basic, broadcast);
    });
}

void SoftMaxGrad(const Arguments& from, Answer* to) {
    const bool front = from.Truth("front");
    to->most = GetSoftMaxGradMaxTmpSize(from.Shape(), from.Size(), front, false);
    to->least = GetSoftMaxGradMinTmpSize(from.Shape(), from.Size(), front, false);
    Cut<optiling::SoftMaxTiling>(to, [&](auto& tiling) {
        SoftMaxGradTilingFunc(from.Shape(), from.Size(), from.Buffer(to->most), tiling, front);
    });
}

void LayerNorm(const Arguments& from, Answer* to) {
    GetLayerNormMaxMinTmpSize(from.Shape(), from.Size(), from.Reuse(), to->most, to->least);
    Cut<optiling::LayerNormTiling>(to, [&](auto& tiling) {
        GetLayerNormNDTilingInfo(from.Shape(), from.Buffer(to->most), from.Size(), from.Reuse(),
                                 tiling);
    });
}

void LayerNormSeparate(const Arguments& from, Answer* to) {
    const bool rstd = from.Truth("compute_rstd");
    GetLayerNormMaxMinTmpSize(from.Shape(), from.Size(), from.Reuse(), rstd, false, to->most,
                              to->least);
    Cut<optiling::LayerNormSeparateTiling>(to, [&](auto& tiling) {
        GetLayerNormNDTilingInfo(from.Shape(), from.Buffer(to->most), from.Size(), from.Reuse(),
                                 rstd, tiling);
    });
}

void LayerNormGrad(const Arguments& from, Answer* to) {
    GetLayerNormGradMaxMinTmpSize(from.Shape(), from.Size(), from.Reuse(), to->most, to->least);
    Cut<optiling::LayerNormGradTiling>(to, [&](auto& tiling) {
        GetLayerNormGradNDTilingInfo(from.Shape(), from.Buffer(to->most), from.Size(), from.Reuse(),
                                     tiling);
    });
}

void LayerNormGradBeta(const Arguments& from, Answer* to) {
    GetLayerNormGradBetaMaxMinTmpSize(from.Shape(), from.Size(), from.Reuse(), to->most, to->least);
    Cut<optiling::LayerNormGradBetaTiling>(to, [&](auto& tiling) {
        GetLayerNormGradBetaNDTilingInfo(from.Shape(), from.Buffer(to->most), from.Size(),
                                         from.Reuse(), tiling);
    });
}

void RmsNorm(const Arguments& from, Answer* to) {
    const bool basic = from.Truth("basic_block");
    const bool sizes =
        GetRmsNormMaxMinTmpSize(from.Shape(), from.Size(), to->most, to->least, basic);
    Cut<optiling::RmsNormTiling>(to, [&](auto& tiling) {
        return sizes && GetRmsNormTilingInfo(from.Shape(), from.Shape("origin"),
                                             from.Buffer(to->most), from.Size(), tiling, basic);
    });
}

void BatchNorm(const Arguments& from, Answer* to) {
    const bool basic = from.Truth("basic_block");
    const bool sizes = GetBatchNormMaxMinTmpSize(from.Shape(), from.Shape("origin"), from.Size(),
                                                 from.Reuse(), to->most, to->least, basic);
    Cut<optiling::BatchNormTiling>(to, [&](auto& tiling) {
        return sizes &&
               GetBatchNormNDTilingInfo(from.Shape(), from.Shape("origin"), from.Buffer(to->most),
                                        from.Size(), from.Reuse(), tiling, basic);
    });
}

void DeepNorm(const Arguments& from, Answer* to) {
    const bool basic = from.Truth("basic_block");
    const bool sizes = GetDeepNormMaxMinTmpSize(from.Shape(), from.Size(), from.Reuse(), basic,
                                                to->most, to->least);
    Cut<optiling::DeepNormTiling>(to, [&](auto& tiling) {
        return sizes &&
               GetDeepNormTilingInfo(from.Shape(), from.Shape("origin"), from.Buffer(to->most),
                                     from.Size(), from.Reuse(), basic, tiling);
    });
}

void GroupNorm(const Arguments& from, Answer* to) {
    const uint32_t groups = from.Number("groups");
    GetGroupNormMaxMinTmpSize(from.Shape(), from.Size(), from.Reuse(), groups, to->most, to->least);
    Cut<optiling::GroupNormTiling>(to, [&](auto& tiling) {
        GetGroupNormNDTilingInfo(from.Shape(), from.Buffer(to->most), from.Size(), from.Reuse(),
                                 groups, tiling);
    });
}

void TopK(const Arguments& from, Answer* to) {
    const auto* const chip = platform_ascendc::PlatformAscendCManager::GetInstance();
    const auto inner = static_cast<int32_t>(from.Number("inner"));
    const auto outer = static_cast<int32_t>(from.Number("outer"));
    const auto k = static_cast<int32_t>(from.Number("k"));
    const bool index = from.Truth("init_index");
    const bool largest = from.Truth("largest");
    const auto mode = from.Truth("small") ? TopKMode::TOPK_NSMALL : TopKMode::TOPK_NORMAL;
    const bool sizes = GetTopKMaxMinTmpSize(*chip, inner, outer, from.Reuse(), index, mode, largest,
                                            from.Size(), to->most, to->least);
    Cut<optiling::TopkTiling>(to, [&](auto& tiling) {
        return sizes &&
               TopKTilingFunc(*chip, inner, outer, k, from.Size(), index, mode, largest, tiling);
    });
}

void ConfusionTranspose(const Arguments& from, Answer* to) {
    const uint32_t type = from.Number("transpose_type");
    GetConfusionTransposeMaxMinTmpSize(from.Shape(), from.Size(), type, to->most, to->least);
    Cut<optiling::ConfusionTransposeTiling>(to, [&](auto& tiling) {
        GetConfusionTransposeTilingInfo(from.Shape(), from.Buffer(to->most), from.Size(), type,
                                        tiling);
    });
}

void Pad(const Arguments& from, Answer* to) {
    GetPadMaxMinTmpSize(from.Shape(), from.Size(), to->most, to->least);
    Cut<optiling::PadTiling>(to, [&](auto& tiling) {
        PadTilingFunc(from.Shape(), from.Shape("origin"), from.Buffer(to->most), from.Size(),
                      tiling);
    });
}

void UnPad(const Arguments& from, Answer* to) {
    const auto* const chip = platform_ascendc::PlatformAscendCManager::GetInstance();
    GetUnPadMaxMinTmpSize(*chip, from.Shape(), from.Size(), to->most, to->least);
    Cut<optiling::UnPadTiling>(to, [&](auto& tiling) {
        UnPadTilingFunc(from.Shape(), from.Buffer(to->most), from.Size(), tiling);
    });
}

}  // namespace

const LibraryFunctions& LibraryTilings() {
    static const auto* const functions = new LibraryFunctions{
        {"softmax", SoftMax},
        {"log_softmax", LogSoftMax},
        {"softmax_flash", SoftMaxFlash},
        {"softmax_flash_v2", SoftMaxFlashV2},
        {"softmax_grad", SoftMaxGrad},
        {"layer_norm", LayerNorm},
        {"layer_norm_separate", LayerNormSeparate},
        {"layer_norm_grad", LayerNormGrad},
        {"layer_norm_grad_beta", LayerNormGradBeta},
        {"rms_norm", RmsNorm},
        {"batch_norm", BatchNorm},
        {"deep_norm", DeepNorm},
        {"group_norm", GroupNorm},
        {"topk", TopK},
        {"confusion_transpose", ConfusionTranspose},
        {"pad", Pad},
        {"unpad", UnPad},
    };
    return *functions;
}

ge::Shape LibraryArguments::Shape(const char* name) const {
    return ge::Shape(IntegersOf(Member(json_, name)));
}

uint32_t LibraryArguments::Number(const char* name) const {
    return static_cast<uint32_t>(IntegerOf(Member(json_, name)));
}

bool LibraryArguments::Truth(const char* name) const { return TruthOf(Member(json_, name)); }

uint32_t LibraryArguments::Buffer(uint32_t most) const {
    const Json& buffer = Member(json_, "buffer");
    return buffer.kind == Json::Kind::kNull ? most : Number("buffer");
}

std::string RunLibraryTiling(const Json& request) {
    const std::string name = TextOf(Member(request, "function"));
    const auto tiling = LibraryTilings().find(name);
    const auto scratch = LibraryScratch().find(name);
    if (tiling == LibraryTilings().end() && scratch == LibraryScratch().end()) {
        std::set<std::string> names;
        for (const auto* const functions : {&LibraryTilings(), &LibraryScratch()}) {
            for (const auto& each : *functions) {
                names.insert(each.first);
            }
        }
        throw std::invalid_argument("no function '" + name + "'; expected one of " + Joined(names));
    }
    const bool cuts = tiling != LibraryTilings().end();
    const SocScope chip(&SocOf(Member(request, "soc")));
    const LibraryArguments arguments(Member(request, "arguments"));
    TakeRecentError();
    LibraryTiling answer;
    (cuts ? tiling : scratch)->second(arguments, &answer);
    const char* const sentence = TakeRecentError();
    const bool empty = cuts && std::all_of(answer.data.begin(), answer.data.end(),
                                           [](uint8_t byte) { return byte == 0; });
    const bool little = cuts && arguments.Buffer(answer.most) < answer.least;
    const bool refused = answer.refused || empty || little;
    const std::string reason = sentence != nullptr ? sentence
                               : little            ? "the buffer is smaller than the least"
                                                   : "no tiling of this shape and dtype";
    return "{\"status\": " + std::to_string(refused ? kAclnnInvalid : 0) +
           ", \"message\": " + Quoted(refused ? reason : "") +
           ", \"most\": " + std::to_string(answer.most) +
           ", \"least\": " + std::to_string(answer.least) +
           ", \"form\": " + std::to_string(answer.form) +
           ", \"data\": " + ListOf(answer.data, [](uint8_t byte) { return std::to_string(byte); }) +
           "}";
}

}  // namespace twin::host
