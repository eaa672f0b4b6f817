// SPDX-License-Identifier: Apache-2.0
#include "device/library/elementwise.h"
#include "device/normalization/rms_norm.h"
#include "device/normalization/rows.h"

namespace twin::norm {
namespace {

struct DeepNormForm {
    static constexpr uint32_t kReuse = 1, kBasic = 2, kElsewhere = 4;
};

}  // namespace

void RunDeepNorm(const DeepNormTask& task, const advanced::Tmp& tmp, DeepNormTiling* tiling,
                 Location where) {
    advanced::Call call(Opcode::DeepNorm, where);
    if (!call) {
        return;
    }
    const DeepNormTiling& t = *tiling;
    const uint32_t rows = t.bLength * t.sLength;
    const uint32_t h = t.hLength;
    const bool basic = !task.basicBlock || (h % 64 == 0 && t.originalHLength == h && rows % 8 == 0);
    CheckShape(
        call, basic && h <= 2040, rows, {h, t.originalHLength}, task.dtype,
        "at most 2040 elements, and isBasicBlock takes a multiple of 8 rows of a multiple of "
        "64 elements, all valid");
    if (call.core().strict) {
        CheckRounds(call, t);
    }
    const uint64_t size = SizeOf(task.dtype);
    const uint64_t row = h * size;
    const bool twoBuffers = task.reuse && task.dtype == Dtype::F32;
    const bool spent = twoBuffers && task.src.address != task.dst.address;
    const bool usual = PlacedAsUsual(t, rows, task.dtype);
    const uint32_t form = (twoBuffers ? DeepNormForm::kReuse : 0) |
                          (task.basicBlock ? DeepNormForm::kBasic : 0) |
                          (usual ? 0 : DeepNormForm::kElsewhere);
    call.shape() = {0, form, rows, h, t.originalHLength, t.bsCurLength, 0};
    uint8_t* output = call.Write(Arg::DstLocal, task.dst, rows * row);
    uint8_t* means = call.Write(Arg::MeanLocal, task.mean, rows * size);
    uint8_t* variances = call.Write(Arg::RstdLocal, task.variance, rows * size);
    const uint8_t* src = call.Read(Arg::SrcLocal, task.src, rows * row, spent);
    const uint8_t* gxs = call.Read(Arg::GxLocal, task.gx, rows * row);
    const uint8_t* betas = call.Read(Arg::BetaLocal, task.beta, row);
    const uint8_t* gammas = call.Read(Arg::GammaLocal, task.gamma, row);
    call.Take(tmp, ScratchOf(t, twoBuffers));
    call.RunRows(task.dtype, uint64_t{rows} * h, t.originalHLength, false, [&] {
        float* x = advanced::Row(0, h);
        const float* gamma = Weights(gammas, task.dtype, 2, h);
        const float* beta = Weights(betas, task.dtype, 3, h);
        float* gx = advanced::Row(4, h);
        ForRows(RoundsOf(t), [&](uint32_t i) {
            advanced::Load(x, src + i * row, task.dtype, h);
            advanced::Load(gx, gxs + i * row, task.dtype, h);
            advanced::Muls(x, x, task.alpha, h);
            advanced::Add(x, gx, x, h);
            const Moments moments = Center(x, h, t.originalHLength, t.lastDimValueBack);
            Scale(x, h, advanced::Rsqrt(moments.variance + task.epsilon), gamma, beta);
            advanced::Store(output + i * row, task.dtype, x, h);
            advanced::StoreOne(means, task.dtype, i, moments.mean);
            advanced::StoreOne(variances, task.dtype, i, moments.variance);
        });
        LeaveLastRound(tiling);
    });
}

}  // namespace twin::norm

namespace twin {

namespace {

/// Lists the instructions of DeepNorm on m rows of h elements, of which `valid` are data.
struct DeepRows {
    CallSteps s;
    int64_t m, h, valid;
    bool basic;

    CallSteps All() const { return s.Count(m * h); }
    /// Lists the instructions that sum each row. If `basic`, one instruction processes 64
    /// columns of all m rows; otherwise one instruction processes one row.
    void Sums(View all, View first, View x) const {
        if (basic) {
            const CallSteps columns = s.Count(64 * m);
            const View y = x.By(1, h / 8);
            for (int64_t i = 1; i < h / 64; ++i) {
                columns.Add(y, y[64 * i], y);
            }
            columns.RepeatReduceSum(all, y);
            return columns.RepeatReduceSum(first, y);
        }
        for (int64_t i = 0; i < m; ++i) {
            for (int64_t left = valid; left > 1; left = Up(left, 64)) {
                const View y = left == valid ? x[i * h] : first[i * h];
                s.If(left <= 64).Count(left).RepeatReduceSum(all[i], y);
                s.Count(left).RepeatReduceSum(left <= 64 ? first[i] : first[i * h], y);
            }
        }
    }
    void Spread(View dst, View src) const {
        s.Repeats(m / 8).Brcb(dst.By(8, 64), src);
        s.Count(64 * m).Adds(dst, dst.By(0, 8));
    }
    /// Calls `step` for each group of 64 columns. The caller lists the barrier after these steps.
    template <typename Step>
    void Columns(Step step) const {
        for (int64_t i = 0; i < h / 64; ++i) {
            step(s.Count(64 * m).NoBarrier(), 64 * i);
        }
    }
    void WithRow(Opcode op, View dst, View src, View row) const {
        if (!basic) {
            return norm::WithRow(s, op, dst, src, row, m, h);
        }
        Columns([&](CallSteps each, int64_t e) {
            each.Do(op, dst[e].By(1, h / 8), src[e].By(1, h / 8), row[e].By(1, 0));
        });
        s.Barrier();
    }
    /// Calls `step` for each row after the scalar unit has read the row's factor.
    template <typename Step>
    void ByScalar(View factors, Step step) const {
        s.ToScalar();
        for (int64_t i = 0; i < m; ++i) {
            s.Read(factors[i]);
            step(s.Count(h).NoBarrier(), i * h);
        }
        s.Barrier();
    }
};

/// Lists the instructions that normalise `a` by its mean and variance; the result is in `c`.
void DeepNormed(const DeepRows& rows, View center, View spread, View a, View b, View c, bool wide) {
    const CallSteps s = rows.s, all = rows.All(), each = s.Count(rows.m);
    const int64_t h = rows.h;
    all.Muls(c, a);
    rows.Sums(center, c, c);
    if (wide) {
        rows.Spread(c, center);
        rows.Columns([&](CallSteps column, int64_t e) {
            column.Sub(b[e].By(1, h / 8), a[e].By(1, h / 8), c);
        });
        s.Barrier();
    } else {
        rows.ByScalar(center, [&](CallSteps row, int64_t e) { row.Adds(b[e], a[e]); });
    }
    all.Mul(c, b, b);
    all.Muls(a, c);
    rows.Sums(spread, c, a);
    each.Adds(a, c);
    each.Duplicate(c);
    each.Sqrt(a, a);
    each.Div(a, c, a);
    if (wide) {
        rows.Spread(c, a);
        rows.Columns([&](CallSteps column, int64_t e) {
            column.Mul(a[e].By(1, h / 8), c, b[e].By(1, h / 8));
        });
        s.Barrier();
        all.Adds(c, a);
    } else {
        rows.ByScalar(a, [&](CallSteps row, int64_t e) { row.Muls(c[e], b[e]); });
    }
}

}  // namespace

void DeepNormSteps(CallSteps s) {
    using Form = norm::DeepNormForm;
    const View out = s.Operand(0), mean = s.Operand(1), variance = s.Operand(2), x = s.Operand(3);
    const View gx = s.Operand(4), beta = s.Operand(5), gamma = s.Operand(6);
    s.If(s.Has(Form::kElsewhere)).Untimed();
    const bool half = s.Half(), reuse = s.Has(Form::kReuse), basic = s.Has(Form::kBasic);
    const int64_t h = s.Columns(), one = s.Once() * h;
    const int64_t stats = half ? Up(s.Rows(), 8) * 8 : 0;
    const View means = s.Floats(stats), variances = s.Floats(stats);
    const View first = s.Floats(reuse ? 0 : one);
    const View a = reuse ? x : first, b = s.Floats(one), c = s.Floats(one);
    InParts(s.Rows(), s.Once(), [&](int64_t row, int64_t m) {
        const DeepRows rows{s, m, h, s.Valid(), basic};
        const CallSteps all = rows.All();
        const View x1 = x[row * h], gx1 = gx[row * h], to = out[row * h];
        if (half) {
            all.Cast(a, x1);
            all.Cast(c, gx1);
            all.Muls(a, a);
            all.Add(a, c, a);
        } else {
            all.Muls(b, x1);
            all.Add(a, gx1, b);
        }
        const bool wide = basic && s.Once() % 8 == 0 && m > h / 64;
        DeepNormed(rows, half ? means[row] : mean[row], half ? variances[row] : variance[row], a, b,
                   c, wide);
        if (half) {
            s.Count(h).Cast(a, gamma);
            rows.WithRow(Opcode::Mul, b, c, a);
            s.Count(h).Cast(c, beta);
            rows.WithRow(Opcode::Add, a, b, c);
            all.Cast(to, a);
        } else {
            rows.WithRow(Opcode::Mul, a, c, gamma);
            rows.WithRow(Opcode::Add, to, a, beta);
        }
    });
    if (half) {
        s.Count(s.Rows()).Cast(mean, means);
        s.Count(s.Rows()).Cast(variance, variances);
    }
}

}  // namespace twin
