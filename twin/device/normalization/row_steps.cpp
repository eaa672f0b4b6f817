// SPDX-License-Identifier: Apache-2.0
#include "device/normalization/row_steps.h"

namespace twin::norm {

void SumRows(CallSteps s, View all, View first, View x, int64_t m, int64_t h) {
    for (int64_t i = 0; i < m; ++i) {
        const View row = x[i * h];
        s.If(h / 64 > 1).Repeats(h / 64 - 1).Add(row.By(1, 0), row[64], row.By(1, 0));
        s.If(h > 64 && h % 64 != 0).Repeats(1, h % 64).Add(row, row[h / 64 * 64], row);
    }
    InParts(m, 255, [&](int64_t row, int64_t count) {
        const View folded = x[row * h].By(1, h / 8);
        const CallSteps each = s.Repeats(count, std::min<int64_t>(h, 64));
        each.NoBarrier().WholeReduceSum(all[row], folded);
        each.WholeReduceSum(first[row * h], folded);
    });
}

void FillRows(CallSteps s, View dst, View src, int64_t m, int64_t h) {
    const View none = src.As(Dtype::U8);
    for (int64_t i = 0; i < m; ++i) {
        s.Count(4).SetCmpMask(src[i * h]);
        s.If(i == 0).Count(h).Muls(src.As(Dtype::I16), src.As(Dtype::I16));
        s.Count(h).Select(dst[i * h], none, dst);
    }
}

void WithRow(CallSteps s, Opcode op, View dst, View src, View row, int64_t m, int64_t h) {
    for (int64_t i = 0; i < m; ++i) {
        s.Count(h).NoBarrier().Do(op, dst[i * h], src[i * h], row);
    }
    s.Barrier();
}

void FillByScalar(CallSteps s, View dst, View src, int64_t m, int64_t h, int64_t valid) {
    for (int64_t i = 0; i < m; ++i) {
        s.Read(src[i]);
        s.ToVector();
        s.Count(valid).NoBarrier().Duplicate(dst[i * h]);
    }
    s.Barrier();
}

void NormalizeRows::operator()(CallSteps s) const {
    const int64_t rows = s.Rows(), h = s.Columns(), valid = s.Valid();
    const int64_t once =
        std::max<int64_t>(std::min((room - (halves ? 2 * h : 0)) / (2 * h), rows), 1);
    const View a = work, b = a[once * h];
    const View weight = halves ? b[once * h] : gamma.As(Dtype::F32);
    const View shift = halves ? b[once * h + h] : beta.As(Dtype::F32);
    s.Count(rows).Adds(rstd, variance);
    s.Count(rows).Duplicate(a);
    s.Count(rows).Sqrt(rstd, rstd);
    s.Count(rows).Div(rstd, a, rstd);
    s.If(halves && gammas).Count(valid).Cast(weight, gamma);
    s.If(halves && betas).Count(valid).Cast(shift, beta);
    InParts(rows, once, [&](int64_t row, int64_t m) {
        const CallSteps all = s.Count(m * h);
        const auto move = [&](View to, View from) {
            s.Half() ? all.Cast(to, from) : all.Adds(to, from);
        };
        move(a, x[row * h]);
        s.ToScalar();
        FillByScalar(s, b, mean[row], m, h, valid);
        all.Sub(a, a, b);
        FillByScalar(s, b, rstd[row], m, h, valid);
        all.Mul(a, a, b);
        for (int64_t j = 0; j < m; ++j) {
            s.If(gammas).Count(valid).Mul(a[j * h], a[j * h], weight);
            s.If(betas).Count(valid).Add(a[j * h], a[j * h], shift);
        }
        move(out[row * h], a);
    });
}

}  // namespace twin::norm
