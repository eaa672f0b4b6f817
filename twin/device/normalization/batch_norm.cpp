// SPDX-License-Identifier: Apache-2.0
#include "device/normalization/batch_norm.h"

#include <algorithm>

#include "core/float16.h"
#include "device/library/elementwise.h"
#include "device/normalization/rows.h"

namespace twin::norm {
namespace {

struct BatchNormForm {
    static constexpr uint32_t kBasic = 1, kElsewhere = 2;
};

void CheckTiling(const advanced::Call& call, const BatchNormTiling& t) {
    const uint32_t batch = t.originalBLength;
    const uint32_t all = batch * t.meanVarSize;
    const uint32_t once = std::max(t.oneTmpSize, 1U);
    const uint32_t tail = all % once;
    advanced::CheckFields(call.api(),
                          {{"oneTmpSize", t.oneTmpSize, t.shCurLength * batch},
                           {"loopRound", t.loopRound, all / once},
                           {"inputTailSize", t.inputTailSize, tail},
                           {"inputTailPos", t.inputTailPos, (all - tail) / batch},
                           {"meanVarTailSize", t.meanVarTailSize, tail / batch},
                           {"meanVarTailPos", t.meanVarTailPos, (all - tail) / batch},
                           {"bshCurLength", t.bshCurLength, once},
                           {"shCurLengthBlockNum", t.shCurLengthBlockNum, t.shCurLength / 8},
                           {"the bits of firstDimValueBack", BitsOf(t.firstDimValueBack),
                            BitsOf(1.0F / static_cast<float>(batch))}});
}

/// Normalises a range of columns in all batches.
struct Columns {
    const Places& places;
    Dtype dtype;
    float epsilon;
    const BatchNormTiling& tiling;
    uint64_t size = SizeOf(dtype);

    void Compute(uint32_t begin, uint32_t count) const {
        count = std::min(count, tiling.meanVarSize - std::min(begin, tiling.meanVarSize));
        float* mean = advanced::Row(1, count);
        float* variance = advanced::Row(2, count);
        const float share = tiling.firstDimValueBack;
        Average(mean, begin, count, [&](float* x) { advanced::Muls(x, x, share, count); });
        Average(variance, begin, count, [&](float* x) {
            advanced::Sub(x, x, mean, count);
            advanced::Mul(x, x, x, count);
            advanced::Muls(x, x, share, count);
        });
        advanced::Store(places.mean + begin * size, dtype, mean, count);
        advanced::Store(places.variance + begin * size, dtype, variance, count);
        advanced::Adds(variance, variance, epsilon, count);
        advanced::Ln(variance, variance, count);
        advanced::Muls(variance, variance, -0.5F, count);
        advanced::Exp(variance, variance, count);
        float* x = advanced::Row(0, count);
        for (uint32_t b = 0; b < tiling.originalBLength; ++b) {
            advanced::Load(x, places.x + Place(b, begin), dtype, count);
            advanced::Sub(x, x, mean, count);
            advanced::Mul(x, x, variance, count);
            advanced::Muls(x, x, advanced::LoadOne(places.gamma, dtype, b), count);
            advanced::Adds(x, x, advanced::LoadOne(places.beta, dtype, b), count);
            advanced::Store(places.output + Place(b, begin), dtype, x, count);
        }
    }

    uint64_t Place(uint32_t batch, uint32_t column) const {
        return (uint64_t{batch} * tiling.meanVarSize + column) * size;
    }

    template <typename Step>
    void Average(float* sum, uint32_t begin, uint32_t count, Step step) const {
        float* x = advanced::Row(0, count);
        for (uint32_t b = 0; b < tiling.originalBLength; ++b) {
            advanced::Load(x, places.x + Place(b, begin), dtype, count);
            step(x);
            if (b == 0) {
                std::copy(x, x + count, sum);
            } else {
                advanced::Add(sum, sum, x, count);
            }
        }
    }
};

}  // namespace

void RunBatchNorm(const BatchNormTask& task, const advanced::Tmp& tmp, BatchNormTiling* tiling,
                  Location where) {
    advanced::Call call(Opcode::BatchNorm, where);
    if (!call) {
        return;
    }
    const BatchNormTiling& t = *tiling;
    const uint32_t batch = t.originalBLength;
    const bool basic = !task.basicBlock || (batch % 8 == 0 && t.meanVarSize % 64 == 0);
    CheckShape(call, basic, batch, {t.meanVarSize, t.meanVarSize}, task.dtype,
               "and isBasicBlock takes a multiple of 8 rows of a multiple of 64 elements");
    if (call.core().strict) {
        CheckTiling(call, t);
    }
    const uint64_t size = SizeOf(task.dtype);
    const uint64_t row = t.meanVarSize * size;
    const bool usual = PlacedAsUsual(t, t.meanVarSize, task.dtype);
    const uint32_t form =
        (task.basicBlock ? BatchNormForm::kBasic : 0) | (usual ? 0 : BatchNormForm::kElsewhere);
    call.shape() = {0, form, batch, t.meanVarSize, t.meanVarSize, t.shCurLength, 0};
    const Places places = {call.Write(Arg::Output, task.output, batch * row),
                           call.Write(Arg::OutputMean, task.mean, row),
                           call.Write(Arg::OutputVariance, task.variance, row),
                           call.Read(Arg::InputX, task.x, batch * row),
                           call.Read(Arg::Gamm, task.gamma, batch * size),
                           call.Read(Arg::Beta, task.beta, batch * size)};
    call.Take(tmp, ScratchOf(t, false));
    call.Run(task.dtype, uint64_t{batch} * t.meanVarSize, Overlap::InPlace, [&] {
        const Columns columns{places, task.dtype, task.epsilon, t};
        const uint32_t piece = t.shCurLength;
        for (uint32_t i = 0; i < t.loopRound; ++i) {
            columns.Compute(i * piece, piece);
        }
        // Like the library, this code writes the size of the last round to the caller's tiling.
        if (t.inputTailSize > 0) {
            columns.Compute(t.inputTailPos, t.meanVarTailSize);
            tiling->bshCurLength = t.inputTailSize;
            tiling->shCurLength = t.meanVarTailSize;
            tiling->shCurLengthBlockNum = t.meanVarTailSize / 8;
        }
    });
}

}  // namespace twin::norm

namespace twin {

namespace {

void SumBatches(CallSteps s, View dst, View src, int64_t batches, int64_t k) {
    s.Count(k).DataCopy(dst, src);
    for (int64_t i = 1; i < batches; ++i) {
        s.Count(k).Add(dst, dst, src[i * k]);
    }
    s.Barrier();
}

/// Lists the instructions that compute dst = (src + epsilon)^-0.5 through the logarithm.
void PowerOfRow(CallSteps s, View dst, View work, View src) {
    s.Adds(work, src);
    s.Ln(dst, work);
    s.Muls(work, dst);
    s.Exp(dst, work);
}

/// Fills the row of each batch with the factor of this batch; converts half factors to float.
void FillBatches(CallSteps s, View dst, View factors, View wide, int64_t batches, int64_t k) {
    if (s.Half()) {
        s.Count(batches).NoBarrier().Cast(wide, factors);
        s.ToScalar();
    }
    for (int64_t i = 0; i < batches; ++i) {
        s.Read(s.Half() ? wide[i] : factors[i]);
        s.Count(k).NoBarrier().Duplicate(dst[i * k]);
    }
    s.Barrier();
}

}  // namespace

void BatchNormSteps(CallSteps s) {
    using Form = norm::BatchNormForm;
    const View out = s.Operand(0), mean = s.Operand(1), variance = s.Operand(2);
    const View x = s.Operand(3), gamma = s.Operand(4), beta = s.Operand(5);
    if (s.Has(Form::kBasic)) {
        s.Unlisted({out, mean, variance, x, gamma, beta});
        return s.Barrier();
    }
    s.If(s.Has(Form::kElsewhere)).Untimed();
    const bool half = s.Half();
    const int64_t batches = s.Rows(), columns = s.Columns(), one = s.Once() * batches;
    const int64_t stats = half ? Up(columns, 8) * 8 : 0;
    const View means = s.Floats(stats), variances = s.Floats(stats);
    const View a = s.Floats(one), b = s.Floats(one), c = s.Floats(one);
    InParts(columns, s.Once(), [&](int64_t e, int64_t k) {
        const CallSteps all = s.Count(batches * k), row = s.Count(k), each = row.NoBarrier();
        const View center = half ? means[e] : mean[e], spread = half ? variances[e] : variance[e];
        const View y = half ? a : x[e];
        const int64_t pitch = half ? k : columns;
        const auto batchwise = [&](auto step) {
            for (int64_t i = 0; i < batches; ++i) {
                step(i);
            }
            s.Barrier();
        };
        if (half) {
            batchwise([&](int64_t i) { each.Cast(a[i * k], x[e + i * columns]); });
        }
        batchwise([&](int64_t i) { each.Muls(c[i * k], y[i * pitch]); });
        SumBatches(s, center, c, batches, k);
        row.If(half).Cast(mean[e], center);
        batchwise([&](int64_t i) { each.Sub(c[i * k], y[i * pitch], center); });
        all.Mul(b, c, c);
        all.Muls(a, b);
        SumBatches(s, spread, a, batches, k);
        row.If(half).Cast(variance[e], spread);
        PowerOfRow(row, b, a, spread);
        norm::WithRow(s, Opcode::Mul, c, c, b, batches, k);
        FillBatches(s, b, gamma, a, batches, k);
        all.Mul(c, b, c);
        FillBatches(s, b, beta, a, batches, k);
        s.If(half).Barrier();
        batchwise([&](int64_t i) {
            each.Add(half ? b[i * k] : out[e + i * columns], b[i * k], c[i * k]);
        });
        if (half) {
            batchwise([&](int64_t i) { each.Cast(out[e + i * columns], b[i * k]); });
        }
    });
}

}  // namespace twin
