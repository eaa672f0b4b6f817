// SPDX-License-Identifier: Apache-2.0
#include "device/normalization/rows.h"

namespace twin {
namespace {

/// Fills row i of `dst` with element i of `src`: 8 rows at once by Brcb, then single rows.
void SpreadRows(CallSteps s, View dst, View src, int64_t m, int64_t h) {
    for (int64_t e = 0; e < h / 8 * 8; e += 8) {
        InParts(m / 8, 255, [&](int64_t at, int64_t count) {
            s.Repeats(count).NoBarrier().Brcb(dst[e + 8 * at * h].By(h / 8, h), src[8 * at]);
        });
        s.Barrier();
    }
    const int64_t left = m / 8 * 8;
    if (m > left) {
        s.ToScalar();
        for (int64_t i = left; i < m; ++i) {
            s.Read(src[i]);
        }
        for (int64_t i = left; i < m; ++i) {
            s.Count(h).NoBarrier().Duplicate(dst[i * h]);
        }
        s.Barrier();
    }
    s.Barrier();
}

/// Sums each row. Each pass replaces every 64 numbers by their sum, until one number is left.
void TotalRows(CallSteps s, View dst, View src, int64_t m, int64_t h) {
    for (int64_t i = 0; i < m; ++i) {
        for (int64_t left = h; left > 1; left = Up(left, 64)) {
            const View x = (left == h ? src : dst)[i * h], to = dst[i * h];
            const int64_t whole = left / 64, done = whole / 255 * 255;
            for (int64_t at = 0; at < done; at += 255) {
                s.Repeats(255).NoBarrier().WholeReduceSum(to[at], x[64 * at]);
            }
            s.Barrier();
            if (whole > done) {
                s.Repeats(whole - done)
                    .WholeReduceSum(left == 64 ? dst[i] : to[done], x[64 * done]);
            }
            if (left % 64 != 0) {
                const View last = left < 64 ? dst[i] : to[whole];
                s.Repeats(1, left % 64).WholeReduceSum(last, x[64 * whole]);
            }
        }
    }
}

/// Lists the instructions that compute gradients of m rows. Views are parts of the scratch memory.
struct GradRows {
    CallSteps s;
    int64_t m, h;
    View spread, pdVariance, pdMean;

    CallSteps All() const { return s.Count(m * h); }
    CallSteps Each() const { return s.Count(m); }
    void Spread(View src) const {
        SpreadRows(s, spread, src, m, h);
        s.Barrier();
    }
    /// Sets t = 1 / sqrt(t), then fills the rows of `spread` with t.
    void SpreadInverseRoot(View t) const {
        Each().Sqrt(t, t);
        s.Count(8).Duplicate(spread);
        Each().Div(t, spread.By(0, 0), t);
        Spread(t);
    }
    void OfVariance(View a, View b, View t, View v) const {
        Each().Adds(t, v);
        Each().Mul(spread, t, t);
        Each().Mul(t, spread, t);
        SpreadInverseRoot(t);
        All().Mul(spread, b, spread);
        All().Mul(spread, a, spread);
        All().Muls(spread, spread);
        TotalRows(s, pdVariance, spread, m, h);
        s.Barrier();
    }
    void OfMean(View b, View third, View t) const {
        All().Muls(spread, third);
        TotalRows(s, pdMean, spread, m, h);
        All().Muls(spread, b);
        TotalRows(s, t, spread, m, h);
        s.Barrier();
        Each().Muls(t, t);
        Each().Mul(t, pdVariance, t);
        Each().Add(pdMean, pdMean, t);
        s.If(!s.Half()).Barrier();
    }
    void OfSource(View a, View b, View third, View t) const {
        Each().Muls(pdVariance, pdVariance);
        Spread(pdVariance);
        All().Mul(a, spread, b);
        Each().Muls(pdMean, pdMean);
        SpreadRows(s, spread, pdMean, m, h);
        All().Add(a, a, spread);
        All().Add(t, a, third);
    }
};

}  // namespace

void LayerNormGradSteps(CallSteps s) {
    using Form = norm::LayerNormGradForm;
    const View pdX = s.Operand(0), res = s.Operand(1), dy = s.Operand(2), x = s.Operand(3);
    const View variance = s.Operand(4), mean = s.Operand(5), gamma = s.Operand(6);
    s.If(s.Has(Form::kElsewhere)).Untimed();
    const bool half = s.Half(), reuse = s.Has(Form::kReuse);
    const int64_t h = s.Columns(), one = s.Once() * h;
    const View spread = s.Floats(one), pdVariance = s.Floats(one), pdMean = s.Floats(one);
    const View first = s.Floats(reuse ? 0 : one), second = s.Floats(reuse ? 0 : one);
    const View third = s.Floats(one), kept = s.Floats(one), wide = s.Floats(one);
    const View other = s.Floats(one);
    InParts(s.Rows(), s.Once(), [&](int64_t row, int64_t m) {
        const GradRows rows{s, m, h, spread, pdVariance, pdMean};
        const CallSteps all = rows.All(), each = rows.Each();
        const View dy1 = dy[row * h], x1 = x[row * h];
        const View a = reuse ? dy1 : first, b = reuse ? x1 : second;
        const View t = half ? kept : pdX[row * h], v = half ? wide : variance[row];
        if (half) {
            all.NoBarrier().Cast(wide, dy1);
            s.Count(h).Cast(other, gamma);
        }
        norm::WithRow(s, Opcode::Mul, a, half ? wide : dy1, half ? other : gamma, m, h);
        if (half) {
            all.NoBarrier().Cast(wide, x1);
            each.Cast(other, mean[row]);
        }
        rows.Spread(half ? other : mean[row]);
        all.Sub(b, half ? wide : x1, spread);
        each.If(half).Cast(wide, variance[row]);
        rows.OfVariance(a, b, t, v);
        each.Adds(t, v);
        rows.SpreadInverseRoot(t);
        all.Mul(half ? other : res[row * h], b, spread);
        all.Mul(third, a, spread);
        rows.OfMean(b, third, t);
        rows.OfSource(a, b, third, t);
        if (half) {
            all.NoBarrier().Cast(pdX[row * h], t);
            all.Cast(res[row * h], other);
        }
    });
}

void LayerNormGradBetaSteps(CallSteps s) {
    using Form = norm::LayerNormGradForm;
    const View pdGamma = s.Operand(0), pdBeta = s.Operand(1), res = s.Operand(2), dy = s.Operand(3);
    s.If(s.Has(Form::kElsewhere)).Untimed();
    const bool half = s.Half();
    const int64_t h = s.Columns();
    const View gammas = s.Floats(half ? h : 0), betas = s.Floats(half ? h : 0);
    const View wide = s.Floats(half ? s.Once() * h : 0), products = s.Floats(s.Once() * h);
    InParts(s.Rows(), s.Once(), [&](int64_t row, int64_t m) {
        const CallSteps all = s.Count(m * h), one = s.Count(h);
        const View a = s.Has(Form::kReuse) ? res : products, b = half ? wide : dy[row * h];
        const auto add = [&](View sums, View rows) {
            one.If(row == 0).Adds(sums, rows);
            for (int64_t i = row == 0 ? 1 : 0; i < m; ++i) {
                one.Add(sums, rows[i * h], sums);
            }
        };
        if (half) {
            all.Cast(wide, dy[row * h]);
            all.Cast(a, res[row * h]);
        }
        all.Mul(a, b, half ? a : res[row * h]);
        add(half ? gammas : pdGamma, a);
        add(half ? betas : pdBeta, b);
        if (half) {
            one.Cast(pdGamma, gammas);
            one.Cast(pdBeta, betas);
        }
    });
}

}  // namespace twin
