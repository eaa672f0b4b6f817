// SPDX-License-Identifier: Apache-2.0
#include "device/normalization/layer_norm.h"

#include <algorithm>

#include "device/library/elementwise.h"
#include "device/normalization/rows.h"

namespace twin::norm {
namespace {

using advanced::Call;

struct LayerNormForm {
    static constexpr uint32_t kReuse = 1, kParts = 2, kElsewhere = 4, kGamma = 8, kBeta = 16,
                              kHalves = 32;
};

void CheckTiling(const Call& call, const AscendC::LayerNormPara& para,
                 const LayerNormSeparateTiling& t) {
    const uint32_t all = para.aLength * para.rLengthWithPadding;
    const uint32_t once = t.oneTmpSize;
    const uint32_t tail = once == 0 ? 0 : all % once;
    const uint32_t pitch = para.rLengthWithPadding;
    advanced::CheckFields(call.api(),
                          {{"rLength", t.rLength, para.rLength},
                           {"oneTmpSize", once, std::max(once / pitch, 1U) * pitch},
                           {"loopRound", t.loopRound, all / std::max(once, 1U)},
                           {"inputRoundSize", t.inputRoundSize, once},
                           {"inputTailSize", t.inputTailSize, tail},
                           {"inputTailPos", t.inputTailPos, all - tail},
                           {"meanVarRoundSize", t.meanVarRoundSize, once / pitch},
                           {"meanVarTailSize", t.meanVarTailSize, tail / pitch},
                           {"meanVarTailPos", t.meanVarTailPos, para.aLength - tail / pitch},
                           {"arCurLength", t.arCurLength, once},
                           {"aCurLength", t.aCurLength, once / pitch},
                           {"the bits of rValueBack", BitsOf(t.rValueBack),
                            BitsOf(1.0F / static_cast<float>(para.rLength))}});
}

/// Multiplies the padding of row `i` of inputX by zero in place, like the library. If the
/// padding has an infinity or NaN, all results of the row are NaN; strict mode reports this (T721).
void ClearPadding(const Call& call, uint32_t i, float* x, const RowShape& shape, Dtype dtype,
                  uint8_t* padding) {
    float sum = 0;
    for (uint32_t c = shape.valid; c < shape.pitch; ++c) {
        x[c] *= 0.0F;
        sum += x[c];
    }
    if (sum != 0) {
        if (call.core().strict) {
            Fail("T721",
                 "padding counts: LayerNorm multiplies the padding of inputX with zero, and in row "
                 "%u it is not finite\n  try: zeros behind the %u valid elements, by Duplicate "
                 "before the copy or by the padding of DataCopyPad",
                 i, shape.valid);
        }
        x[0] = sum;
    }
    advanced::Store(padding + i * shape.pitch * uint64_t{SizeOf(dtype)}, dtype, x + shape.valid,
                    shape.pitch - shape.valid);
}

/// Returns the call's shape. kElsewhere: the scratch positions in the tiling differ from the
/// positions that the host's tiling function sets and that LayerNormSteps assumes.
CallShape ShapeOf(const LayerNormTask& task, const AscendC::LayerNormPara& para,
                  const LayerNormSeparateTiling& t) {
    const auto stats = static_cast<uint32_t>(advanced::RoundUp(para.aLength, 8));
    const bool usual = t.varianceTmpTensorPos == 0 && t.firstTmpStartPos == stats &&
                       t.secondTmpStartPos == stats + t.oneTmpSize;
    const uint32_t form = LayerNormForm::kParts | (usual ? 0 : LayerNormForm::kElsewhere) |
                          (task.noGamma ? 0 : LayerNormForm::kGamma) |
                          (task.noBeta ? 0 : LayerNormForm::kBeta) |
                          (task.weights == Dtype::F16 ? LayerNormForm::kHalves : 0);
    return {0, form, para.aLength, para.rLengthWithPadding, para.rLength, t.aCurLength, 0};
}

}  // namespace

void RunLayerNorm(const LayerNormTask& task, float epsilon, LayerNormTiling* tiling,
                  Location where) {
    Call call(Opcode::LayerNorm, where);
    if (!call) {
        return;
    }
    const LayerNormTiling& t = *tiling;
    const uint32_t rows = t.bLength * t.sLength;
    const RowShape shape{t.hLength, t.originalHLength};
    CheckShape(call, true, rows, shape, task.dtype, "");
    if (call.core().strict) {
        CheckRounds(call, t);
    }
    const uint64_t size = SizeOf(task.dtype);
    const uint64_t all = uint64_t{rows} * t.hLength * size;
    const uint64_t row = t.hLength * size;
    const bool twoBuffers = task.reuse && task.dtype == Dtype::F32;
    const bool usual = PlacedAsUsual(t, rows, task.dtype);
    const uint32_t form =
        (twoBuffers ? LayerNormForm::kReuse : 0) | (usual ? 0 : LayerNormForm::kElsewhere);
    call.shape() = {0, form, rows, t.hLength, t.originalHLength, t.bsCurLength, 0};
    const bool spent = twoBuffers && task.x.address != task.output.address;
    uint8_t* output = call.Write(Arg::Output, task.output, all);
    uint8_t* means = call.Write(Arg::OutputMean, task.mean, rows * size);
    uint8_t* variances = call.Write(Arg::OutputVariance, task.variance, rows * size);
    const uint8_t* input = call.Read(Arg::InputX, task.x, all, spent);
    const uint8_t* gammas = call.Read(Arg::Gamma, task.gamma, row);
    const uint8_t* betas = call.Read(Arg::Beta, task.beta, row);
    call.Take(task.tmp, ScratchOf(t, twoBuffers));
    call.RunRows(task.dtype, all / size, t.hLength, false, [&] {
        const float* gamma = Weights(gammas, task.dtype, 2, t.hLength);
        const float* beta = Weights(betas, task.dtype, 3, t.hLength);
        float* x = advanced::Row(0, t.hLength);
        ForRows(RoundsOf(t), [&](uint32_t i) {
            advanced::Load(x, input + i * row, task.dtype, t.hLength);
            CheckPadding(call, "inputX", x, shape);
            const Moments moments = Center(x, t.hLength, t.hLength, t.lastDimValueBack);
            Scale(x, t.hLength, advanced::Rsqrt(moments.variance + epsilon), gamma, beta);
            advanced::Store(output + i * row, task.dtype, x, t.hLength);
            advanced::StoreOne(means, task.dtype, i, moments.mean);
            advanced::StoreOne(variances, task.dtype, i, moments.variance);
        });
        LeaveLastRound(tiling);
    });
}

void RunLayerNormRstd(const LayerNormTask& task, float epsilon, const AscendC::LayerNormPara& para,
                      const LayerNormSeparateTiling& tiling, Location where) {
    Call call(Opcode::LayerNorm, where);
    if (!call) {
        return;
    }
    const LayerNormSeparateTiling& t = tiling;
    const RowShape shape{para.rLengthWithPadding, para.rLength};
    CheckShape(call, true, para.aLength, shape, task.dtype, "");
    if (call.core().strict) {
        CheckTiling(call, para, t);
    }
    const uint64_t size = SizeOf(task.dtype);
    const uint64_t row = shape.pitch * size;
    const uint64_t moments = uint64_t{para.aLength} * sizeof(float);
    const uint64_t weights = uint64_t{shape.valid} * SizeOf(task.weights);
    const uint64_t behind = shape.valid * size;  // number of valid bytes in a row
    const bool padded = shape.pitch != shape.valid;
    call.shape() = ShapeOf(task, para, t);
    uint8_t* output = call.Write(Arg::Output, task.output, para.aLength * row);
    uint8_t* means = call.Write(Arg::OutputMean, task.mean, moments);
    uint8_t* rstds = call.Write(Arg::OutputRstd, task.variance, moments);
    const uint8_t* input = call.Read(Arg::InputX, task.x, para.aLength * row);
    const auto paddings = [&](const PieceVisitor& visit) {
        for (uint64_t i = 0; i < para.aLength; ++i) {
            visit(0, task.x.address + i * row + behind, row - behind);
        }
    };
    uint8_t* cleared =
        padded ? call.Write(Arg::InputX, task.x, para.aLength * row, paddings) : nullptr;
    const uint8_t* gammas = task.noGamma ? nullptr : call.Read(Arg::Gamma, task.gamma, weights);
    const uint8_t* betas = task.noBeta ? nullptr : call.Read(Arg::Beta, task.beta, weights);
    const uint64_t once = (uint64_t{t.secondTmpStartPos} + t.oneTmpSize) * sizeof(float);
    const uint64_t scaling = uint64_t{t.firstTmpStartPos} * sizeof(float) +
                             NormalizeScratch(para.aLength, shape.pitch, task.weights).min;
    call.Take(task.tmp, {std::max<uint64_t>(uint64_t{t.tmpBufSize} * sizeof(float), scaling),
                         std::max(once, scaling)});
    const uint64_t elements = uint64_t{para.aLength} * shape.pitch;
    call.RunRows(task.dtype, elements, shape.valid, false, [&] {
        const float* gamma = Weights(gammas, task.weights, 2, shape.valid);
        const float* beta = Weights(betas, task.weights, 3, shape.valid);
        float* x = advanced::Row(0, shape.pitch);
        const Rounds rounds{t.loopRound,       t.meanVarRoundSize, t.aCurLength,
                            t.meanVarTailSize, t.meanVarTailPos,   para.aLength};
        ForRows(rounds, [&](uint32_t i) {
            advanced::Load(x, input + i * row, task.dtype, shape.pitch);
            if (padded) {
                ClearPadding(call, i, x, shape, task.dtype, cleared + behind);
            }
            const Moments found = Center(x, shape.valid, shape.valid, t.rValueBack);
            const float rstd = advanced::Rsqrt(found.variance + epsilon);
            Scale(x, shape.valid, rstd, gamma, beta);
            advanced::Store(output + i * row, task.dtype, x, shape.valid);
            advanced::Poison(output + i * row + behind, row - behind);
            advanced::StoreOne(means, Dtype::F32, i, found.mean);
            advanced::StoreOne(rstds, Dtype::F32, i, rstd);
        });
    });
}

}  // namespace twin::norm

namespace twin {

namespace {

/// Lists the instructions that normalise x by its mean and variance; the result is in c.
void LayerNormed(CallSteps s, View x, View mean, View variance, View a, View b, View c, int64_t m) {
    const int64_t h = s.Columns();
    const CallSteps all = s.Count(m * h);
    all.Muls(c, x);
    norm::SumRows(s, mean, b, c, m, h);
    norm::FillRows(s, c, b, m, h);
    all.Sub(b, x, c);
    all.Mul(c, b, b);
    all.Muls(a, c);
    norm::SumRows(s, variance, c, a, m, h);
    norm::FillRows(s, a, c, m, h);
    all.Adds(c, a);
    all.Sqrt(a, c);
    s.Count(8).Duplicate(c);
    all.Div(a, c.By(0, 0), a);
    all.Mul(c, a, b);
}

/// Lists the instructions that compute the mean and variance of each row; a and b are scratch.
void LayerMoments(CallSteps s, View x, View mean, View variance, View a, View b) {
    const bool half = s.Half();
    const int64_t h = s.Columns(), valid = s.Valid();
    InParts(s.Rows(), s.Once(), [&](int64_t row, int64_t m) {
        const CallSteps all = s.Count(m * h);
        const View y = x[row * h], center = mean[row];
        const auto load = [&] { half ? all.Cast(a, y) : all.DataCopy(a, y); };
        load();
        all.Muls(a, a);
        norm::SumRows(s, center, b, a, m, h);
        s.ToScalar();
        s.If(half).Barrier();
        load();
        for (int64_t j = 0; j < m; ++j) {
            s.Read(center[j]);
            s.ToVector();
            s.Count(valid).NoBarrier().Adds(a[j * h], a[j * h]);
        }
        s.Barrier();
        all.Mul(a, a, a);
        all.Muls(a, a);
        norm::SumRows(s, variance[row], b, a, m, h);
        s.Barrier();
    });
}

/// Lists the instructions of LayerNorm with rstd. The last instructions are those of `Normalize`.
void LayerNormInParts(CallSteps s, View out, View mean, View rstd, View x) {
    using Form = norm::LayerNormForm;
    const int64_t h = s.Columns(), rows = s.Rows(), stats = Up(rows, 8) * 8;
    const bool gammas = s.Has(Form::kGamma), betas = s.Has(Form::kBeta);
    const View gamma = s.Operand(4), beta = gammas ? s.Operand(5) : gamma;
    const View variance = s.Floats(stats), a = s.Floats(s.Once() * h), b = s.Floats(s.Once() * h);
    if (s.Valid() != h) {
        const View ones = s.Buffer(s.Type());
        s.Count(h).Duplicate(ones);
        s.Count(s.Valid()).Adds(ones, ones);
        norm::WithRow(s, Opcode::Mul, x, x, ones, rows, h);
    }
    LayerMoments(s, x, mean, variance, a, b);
    norm::NormalizeRows{out,      rstd,  mean,
                        variance, x,     gamma,
                        beta,     a,     s.Scratch() / 4 - stats,
                        gammas,   betas, s.Has(Form::kHalves)}(s);
}

}  // namespace

void LayerNormSteps(CallSteps s) {
    using Form = norm::LayerNormForm;
    const View out = s.Operand(0), mean = s.Operand(1), variance = s.Operand(2), x = s.Operand(3);
    s.If(s.Has(Form::kElsewhere)).Untimed();
    if (s.Has(Form::kParts)) {
        return LayerNormInParts(s, out, mean.As(Dtype::F32), variance.As(Dtype::F32), x);
    }
    const View gamma = s.Operand(4), beta = s.Operand(5);
    const bool half = s.Half(), reuse = s.Has(Form::kReuse) && !half;
    const int64_t h = s.Columns(), one = s.Once() * h, stats = half ? Up(s.Rows(), 8) * 8 : 0;
    const View means = s.Floats(stats), variances = s.Floats(stats);
    const View first = s.Floats(reuse ? 0 : one);
    const View a = reuse ? x : first, b = s.Floats(one), c = s.Floats(one);
    InParts(s.Rows(), s.Once(), [&](int64_t row, int64_t m) {
        const CallSteps all = s.Count(m * h);
        all.If(half).Cast(a, x[row * h]);
        LayerNormed(s, half ? a : x[row * h], half ? means[row] : mean[row],
                    half ? variances[row] : variance[row], a, b, c, m);
        if (half) {
            s.Count(h).Cast(a, gamma);
            norm::WithRow(s, Opcode::Mul, b, c, a, m, h);
            s.Count(h).Cast(c, beta);
            norm::WithRow(s, Opcode::Add, a, b, c, m, h);
            all.Cast(out[row * h], a);
        } else {
            norm::WithRow(s, Opcode::Mul, a, c, gamma, m, h);
            norm::WithRow(s, Opcode::Add, out[row * h], a, beta, m, h);
        }
    });
    if (half) {
        s.Count(s.Rows()).Cast(mean, means);
        s.Count(s.Rows()).Cast(variance, variances);
    }
}

}  // namespace twin
