// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/float16.h"
#include "core/library_steps.h"
#include "device/library/elementwise.h"
#include "device/normalization/batch_norm.h"
#include "device/normalization/rows.h"

namespace twin::norm {
namespace {

struct GroupNormForm {
    static constexpr uint32_t kReuse = 1, kSmall = 2, kElsewhere = 4;
};

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
            if (task_.dtype == Dtype::F32) {  // float results have zero padding
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
    const uint32_t form = (twoBuffers ? GroupNormForm::kReuse : 0) |
                          (t.smallShape ? GroupNormForm::kSmall : 0) |
                          (usual ? 0 : GroupNormForm::kElsewhere);
    call.shape() = {0, form, rows, t.hwAlignSize, t.hw, t.bsCurLength, t.c};
    const Places places = {call.Write(Arg::Output, task.output, all),
                           call.Write(Arg::OutputMean, task.mean, rows * size),
                           call.Write(Arg::OutputVariance, task.variance, rows * size),
                           call.Read(Arg::InputX, task.x, all, twoBuffers),
                           call.Read(Arg::Gamma, task.gamma, t.c * size),
                           call.Read(Arg::Beta, task.beta, t.c * size)};
    call.Take(tmp, ScratchOf(t, twoBuffers));
    // With float, the library still reads inputX while it writes output: no overlap is allowed.
    call.Run(task.dtype, all / size, wide ? Overlap::Library : Overlap::InPlace, [&] {
        Group group(call, places, task, t);
        const Rounds rounds{t.loopRound,       t.meanVarRoundSize, t.bsCurLength,
                            t.meanVarTailSize, t.meanVarTailPos,   rows};
        ForRows(rounds, [&](uint32_t i) { group.Compute(i); });
    });
}

}  // namespace twin::norm

namespace twin {

namespace {

/// Lists the instructions that compute the means of m groups: they sum parts of up to 64 elements,
/// then add the sums of each group. No barrier follows the last instruction.
void GroupMeans(CallSteps s, View dst, View src, View a, int64_t m, int64_t group) {
    int64_t part = std::min<int64_t>(group, 64);
    while (group % part != 0) {
        part -= 8;
    }
    const int64_t k = group / part;
    s.Repeats(k * s.Once(), part).WholeReduceSum(a.By(1, 1), src.By(1, part / 8));
    s.Repeats(m, 8 * k).WholeReduceSum(dst, a.By(1, k));
    s.Count(m).NoBarrier().Muls(dst, dst);
}

/// Lists the instructions of dst = src - mean for groups of elements; `center` has the means.
void CenterGroups(CallSteps s, View dst, View src, View center, int64_t m, int64_t group) {
    const int64_t pitch = s.Columns() / 8;
    const CallSteps channels = s.Repeats(group / s.Columns(), s.Valid()).NoBarrier();
    s.ToScalar();
    for (int64_t j = 0; j < m; ++j) {
        s.Read(center[j]);
        channels.Adds(dst[j * group].By(1, pitch), src[j * group].By(1, pitch));
    }
    s.Barrier();
}

void ScaleGroups(CallSteps s, View x, View a, View variance, int64_t m, int64_t group) {
    const CallSteps each = s.Count(m);
    each.Adds(a, variance);
    each.Ln(a, a);
    each.Muls(a, a);
    each.NoBarrier().Exp(a, a);
    s.ToScalar();
    for (int64_t i = 0; i < m; ++i) {
        s.Read(a[i]);
        s.Count(group).NoBarrier().Muls(x[i * group], x[i * group]);
    }
    s.ToScalar();
    s.Barrier();
}

/// Lists the instructions of x * gamma + beta for `count` channels, from channel `first` on.
void ScaleChannels(CallSteps s, View x, View gamma, View beta, int64_t first, int64_t count) {
    const CallSteps row = s.Count(s.Valid()).NoBarrier();
    for (const bool adds : {false, true}) {
        for (int64_t i = 0; i < count; ++i) {
            const View channel = x[i * s.Columns()];
            s.Read((adds ? beta : gamma)[(first + i) % s.Level()]);
            adds ? row.Adds(channel, channel) : row.Muls(channel, channel);
        }
        s.Barrier();
    }
}

}  // namespace

void GroupNormSteps(CallSteps s) {
    using Form = norm::GroupNormForm;
    const View out = s.Operand(0), mean = s.Operand(1), variance = s.Operand(2);
    const View x = s.Operand(3), gamma = s.Operand(4), beta = s.Operand(5);
    const bool half = s.Half(), reuse = s.Has(Form::kReuse);
    if (!s.Has(Form::kSmall)) {
        s.Unlisted({out, mean, variance, x, gamma, beta});
        s.If(!half).Barrier();
        return;
    }
    s.If(s.Has(Form::kElsewhere)).Untimed();
    const int64_t group = s.n / s.Rows(), channels = group / s.Columns(), one = s.Once() * group;
    const int64_t stats = half ? Up(s.Rows(), 8) * 8 : 0;
    const View means = s.Floats(stats), variances = s.Floats(stats);
    const View first = s.Floats(reuse ? 0 : one);
    const View a = reuse ? x : first, b = s.Floats(one), c = s.Floats(one);
    const CallSteps whole = s.Count(one);
    InParts(s.Rows(), s.Once(), [&](int64_t row, int64_t m) {
        const View center = half ? means[row] : mean[row];
        const View spread = half ? variances[row] : variance[row];
        const View y = half ? b : out[row * group], z = half ? b : x[row * group];
        if (half) {
            s.Count(3 * one).Duplicate(a);
            whole.Cast(b, x[row * group]);
        } else {
            whole.Duplicate(y);
            whole.Duplicate(c);
        }
        s.Barrier();
        GroupMeans(s, center, z, c, m, group);
        CenterGroups(s, y, z, center, m, group);
        s.Count(m * group).Mul(c, y, y);
        whole.If(!half).Duplicate(a);
        GroupMeans(s, spread, c, a, m, group);
        s.Barrier();
        ScaleGroups(s, y, a, spread, m, group);
        if (half) {
            s.Count(s.Level()).Cast(a, gamma);
            s.Count(s.Level()).Cast(c, beta);
        }
        ScaleChannels(s, y, half ? a : gamma, half ? c : beta, row * channels, m * channels);
        whole.If(half).Cast(out[row * group], b);
    });
    if (half) {
        s.Count(s.Rows()).NoBarrier().Cast(mean, means);
        s.Count(s.Rows()).NoBarrier().Cast(variance, variances);
    }
}

}  // namespace twin
