// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/float16.h"
#include "device/library/elementwise.h"
#include "device/normalization/batch_norm.h"
#include "device/normalization/rows.h"

namespace twin::norm {
namespace {

void CheckTiling(const advanced::Call& call, const GroupNormTiling& t) {
    const uint32_t all = t.n * t.c * t.hwAlignSize;
    const uint32_t group = t.dhwAlignSize;
    const uint32_t once = t.oneTmpSize;
    const uint32_t tail = once == 0 ? 0 : all % once;
    const uint32_t rows = t.n * t.g;
    // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): CheckShape has refused g = 0
    advanced::CheckFields(call.api(), {{"d", t.d, t.c / t.g},
                                       {"dhwAlignSize", group, t.d * t.hwAlignSize},
                                       {"inputXSize", t.inputXSize, all},
                                       {"meanVarSize", t.meanVarSize, rows},
                                       {"oneTmpSize", once, std::max(once / group, 1U) * group},
                                       {"loopRound", t.loopRound, all / std::max(once, 1U)},
                                       {"inputRoundSize", t.inputRoundSize, once},
                                       {"inputTailSize", t.inputTailSize, tail},
                                       {"inputTailPos", t.inputTailPos, all - tail},
                                       {"meanVarRoundSize", t.meanVarRoundSize, once / group},
                                       {"meanVarTailSize", t.meanVarTailSize, tail / group},
                                       {"meanVarTailPos", t.meanVarTailPos, rows - tail / group},
                                       {"bshCurLength", t.bshCurLength, once},
                                       {"bsCurLength", t.bsCurLength, once / group},
                                       {"the bits of factor", BitsOf(t.factor),
                                        BitsOf(1.0F / static_cast<float>(t.d * t.hw))}});
}

class Group {
public:
    Group(const advanced::Call& call, const Places& places, const GroupNormTask& task,
          const GroupNormTiling& tiling)
        : call_(call), places_(places), task_(task), t_(tiling) {}

    void Compute(uint32_t index) {
        const uint32_t elements = t_.dhwAlignSize;
        const uint64_t at = uint64_t{index} * elements * SizeOf(task_.dtype);
        float* x = advanced::Row(0, elements);
        float* squares = advanced::Row(1, elements);
        advanced::Load(x, places_.x + at, task_.dtype, elements);
        for (uint32_t k = 0; k < t_.d; ++k) {
            CheckPadding(call_, "inputX", x + k * t_.hwAlignSize, {t_.hwAlignSize, t_.hw});
        }
        const float mean = advanced::SumOf(x, elements) * t_.factor;
        for (uint32_t k = 0; k < t_.d; ++k) {
            float* channel = x + k * t_.hwAlignSize;
            advanced::Adds(channel, channel, -mean, t_.hw);
            if (task_.dtype == Dtype::F32) {  // the results start as zeros
                std::fill(channel + t_.hw, channel + t_.hwAlignSize, 0.0F);
            }
        }
        advanced::Mul(squares, x, x, elements);
        const float variance = advanced::SumOf(squares, elements) * t_.factor;
        advanced::Muls(x, x, advanced::RsqrtByLn(variance + task_.epsilon), elements);
        for (uint32_t k = 0; k < t_.d; ++k) {
            // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): CheckShape has refused c = 0
            const uint32_t channel = (index * t_.d + k) % t_.c;
            float* values = x + k * t_.hwAlignSize;
            advanced::Muls(values, values, advanced::LoadOne(places_.gamma, task_.dtype, channel),
                           t_.hw);
            advanced::Adds(values, values, advanced::LoadOne(places_.beta, task_.dtype, channel),
                           t_.hw);
        }
        advanced::Store(places_.output + at, task_.dtype, x, elements);
        advanced::StoreOne(places_.mean, task_.dtype, index, mean);
        advanced::StoreOne(places_.variance, task_.dtype, index, variance);
    }

private:
    const advanced::Call& call_;
    Places places_;
    const GroupNormTask& task_;
    const GroupNormTiling& t_;
};

}  // namespace

void RunGroupNorm(const GroupNormTask& task, const advanced::Tmp& tmp, const GroupNormTiling& t,
                  Location where) {
    advanced::Call call(Opcode::GroupNorm, where);
    if (!call) {
        return;
    }
    const uint32_t rows = t.n * t.g;
    CheckShape(call, t.g > 0 && t.c > 0 && t.c % t.g == 0, rows, {t.hwAlignSize, t.hw}, task.dtype,
               "and the groups divide the channels");
    if (call.core().strict) {
        CheckTiling(call, t);
    }
    const uint64_t size = SizeOf(task.dtype);
    const uint64_t all = uint64_t{rows} * t.dhwAlignSize * size;
    const bool wide = task.dtype == Dtype::F32;
    const bool twoBuffers = task.reuse && wide;
    const bool usual = PlacedAsUsual(t, rows, task.dtype);
    const uint32_t form = (twoBuffers ? 1U : 0U) | (t.smallShape ? 2U : 0U) | (usual ? 0U : 4U);
    call.shape() = {0, form, rows, t.hwAlignSize, t.hw, t.bsCurLength, t.c};
    const Places places = {call.Write(Arg::Output, task.output, all),
                           call.Write(Arg::OutputMean, task.mean, rows * size),
                           call.Write(Arg::OutputVariance, task.variance, rows * size),
                           call.Read(Arg::InputX, task.x, all, twoBuffers),
                           call.Read(Arg::Gamma, task.gamma, t.c * size),
                           call.Read(Arg::Beta, task.beta, t.c * size)};
    call.Take(tmp, ScratchOf(t, twoBuffers));
    // The float form collects sums in output while it still needs inputX.
    if (!call.Ready(task.dtype, all / size, wide ? Overlap::Library : Overlap::InPlace)) {
        return;
    }
    Group group(call, places, task, t);
    const Rounds rounds{t.loopRound,       t.meanVarRoundSize, t.bsCurLength,
                        t.meanVarTailSize, t.meanVarTailPos,   rows};
    ForRows(rounds, [&](uint32_t i) { group.Compute(i); });
    call.Done();
}

}  // namespace twin::norm
