// SPDX-License-Identifier: Apache-2.0
#include "device/normalization/rms_norm.h"

#include "core/float16.h"
#include "device/library/call.h"
#include "device/library/elementwise.h"
#include "device/library/tmp.h"
#include "device/normalization/rows.h"

namespace twin::norm {
namespace {

constexpr uint32_t kPerBlock = 8;  ///< number of floats in a block
constexpr uint32_t kMostBasicH = 2048;

void CheckTiling(const advanced::Call& call, const RmsNormTiling& t) {
    const uint32_t rows = t.bLength * t.sLength;
    const uint32_t once = t.mainBsLength == 0 ? 1 : t.mainBsLength;
    const uint32_t tail = rows % once;
    advanced::CheckFields(
        call.api(), {{"mainBsLength", t.mainBsLength, once},
                     {"mainBshLength", t.mainBshLength, once * t.hLength},
                     {"mainBsLengthAlign", t.mainBsLengthAlign, advanced::RoundUp(once, kPerBlock)},
                     {"loopRound", t.loopRound, rows / once},
                     {"tailBsLength", t.tailBsLength, tail},
                     {"tailBshLength", t.tailBshLength, tail * t.hLength},
                     {"inputTailPos", t.inputTailPos, (rows - tail) * t.hLength},
                     {"the bits of reciprocalOfHLength", BitsOf(t.reciprocalOfHLength),
                      BitsOf(1.0F / static_cast<float>(t.originalHLength))}});
}

}  // namespace

void RunRmsNorm(Dtype dtype, const Operand& dst, const Operand& src, const Operand& gammaPlace,
                const advanced::Tmp& tmp, float epsilon, const RmsNormTiling& t, bool basicBlock,
                Location where) {
    advanced::Call call(Opcode::RmsNorm, where);
    if (!call) {
        return;
    }
    const uint32_t rows = t.bLength * t.sLength;
    const uint32_t h = t.hLength;
    const bool basic = !basicBlock || (h % 64 == 0 && h < kMostBasicH && rows % kPerBlock == 0 &&
                                       t.originalHLength == h);
    CheckShape(call, basic && t.originalHLength != 1, rows, {h, t.originalHLength}, dtype,
               "more than one element is valid, and isBasicBlock takes a multiple of 8 rows of a "
               "multiple of 64 elements, fewer than 2048, all valid");
    if (call.core().strict) {
        CheckTiling(call, t);
    }
    call.shape() = {0, basicBlock ? 1U : 0U, rows, h, t.originalHLength, t.mainBsLength, 0};
    const uint64_t row = uint64_t{h} * SizeOf(dtype);
    uint8_t* output = call.Write(Arg::DstLocal, dst, rows * row);
    const uint8_t* input = call.Read(Arg::SrcLocal, src, rows * row);
    const uint8_t* gammas = call.Read(Arg::GammaLocal, gammaPlace, row);
    const uint64_t copies = dtype == Dtype::F16 ? 2 : 1;
    const uint64_t need =
        (uint64_t{t.mainBshLength} * copies + t.mainBsLengthAlign) * sizeof(float);
    call.Take(tmp, {need, need});
    call.RunRows(dtype, uint64_t{rows} * h, t.originalHLength, false, [&] {
        float* x = advanced::Row(0, h);
        float* squares = advanced::Row(1, h);
        const float* gamma = Weights(gammas, dtype, 2, h);
        const Rounds rounds{t.loopRound,    t.mainBsLength,     t.mainBsLength,
                            t.tailBsLength, t.inputTailPos / h, rows};
        ForRows(rounds, [&](uint32_t i) {
            advanced::Load(x, input + i * row, dtype, h);
            advanced::Mul(squares, x, x, t.originalHLength);
            const float mean = advanced::SumOf(squares, t.originalHLength) * t.reciprocalOfHLength;
            Scale(x, h, advanced::RsqrtByLn(mean + epsilon), gamma, nullptr);
            advanced::Store(output + i * row, dtype, x, h);
        });
    });
}

}  // namespace twin::norm

namespace twin {

namespace {

/// Lists the instructions that compute dst = src * gamma. If `basic`, h is a multiple of 64.
void WeightRows(CallSteps s, View dst, View src, View gamma, int64_t m, int64_t h, bool basic) {
    const auto multiply = [&](CallSteps each, int64_t e) {
        each.NoBarrier().Mul(dst[e].By(1, h / 8), src[e].By(1, h / 8), gamma[e].By(1, 0));
    };
    if (!basic && h == 64) {
        s.Count(64 * m).NoBarrier().Mul(dst, src, gamma.By(1, 0));
    } else if (!basic && h < 64) {
        multiply(s.Repeats(m, h), 0);
    } else if (h / 64 >= m) {
        return norm::WithRow(s, Opcode::Mul, dst, src, gamma, m, h);
    } else {
        for (int64_t i = 0; i < h / 64; ++i) {
            multiply(s.Count(64 * m), 64 * i);
        }
        if (h % 64 != 0) {
            multiply(s.Repeats(m, h % 64), h / 64 * 64);
        }
    }
    s.Barrier();
}

void SumSquares(CallSteps s, View sums, View x, int64_t m, int64_t h, bool basic) {
    if (basic) {
        const View y = x.By(1, h / 8);
        for (int64_t i = 1; i < h / 64; ++i) {
            s.Count(64 * m).Add(y, y, y[64 * i]);
        }
        return s.Count(64 * m).RepeatReduceSum(sums, y);
    }
    for (int64_t i = 0; i < m; ++i) {
        const View row = x[i * h];
        for (int64_t left = s.Valid(); left > 1; left = Up(left, 64)) {
            s.Count(left).RepeatReduceSum(left <= 64 ? sums[i] : row, row);
        }
    }
}

void ScaleRows(CallSteps s, View y, View x, View factors, int64_t m, int64_t h, bool basic) {
    if (basic && m > 8 && m > h / 64) {
        s.Repeats(m / 8).Brcb(y.By(h / 8, h), factors);
        for (int64_t i = 0; i < h / 64; ++i) {
            s.Count(64 * m).NoBarrier().Adds(y[64 * i].By(1, h / 8), y.By(0, h / 8));
        }
        s.Barrier();
        return s.Count(m * h).Mul(y, y, x);
    }
    s.ToScalar();
    for (int64_t i = 0; i < m; ++i) {
        s.Read(factors[i]);
        s.Count(h).NoBarrier().Muls(y[i * h], x[i * h]);
    }
    s.Barrier();
}

}  // namespace

void RmsNormSteps(CallSteps s) {
    const bool half = s.Half(), basic = s.Has(1);
    const View dst = s.Operand(0), src = s.Operand(1), gamma = s.Operand(2);
    const int64_t h = s.Columns();
    const View means = s.Floats(Up(s.Once(), 8) * 8);
    const View y = s.Floats(s.Once() * h), wide = s.Floats(s.Once() * h);
    InParts(s.Rows(), s.Once(), [&](int64_t row, int64_t m) {
        const CallSteps all = s.Count(m * h), each = s.Count(m);
        const View x = half ? wide : src[row * h];
        all.If(half).Cast(wide, src[row * h]);
        all.Mul(y, x, x);
        SumSquares(s, means, y, m, h, basic);
        each.Muls(means, means);
        each.Adds(means, means);
        each.Ln(means, means);
        each.Muls(means, means);
        each.Exp(means, means);
        ScaleRows(s, y, x, means, m, h, basic);
        if (half) {
            s.Count(h).Cast(wide, gamma);
            WeightRows(s, y, y, wide, m, h, basic);
            all.Cast(dst[row * h], y);
        } else {
            WeightRows(s, dst[row * h], y, gamma, m, h, basic);
        }
    });
}

}  // namespace twin
