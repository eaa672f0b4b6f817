// SPDX-License-Identifier: Apache-2.0
#include "device/softmax/steps.h"

namespace twin {
namespace {

using softmax::AlongRows, softmax::Form, softmax::kMaxima, softmax::kSums, softmax::Reduction,
    softmax::RowTile, softmax::SoftMaxViews;

/// Lists the instructions of a softmax if k is a multiple of 64; `few` has one block per row.
void SoftMaxTiles(const RowTile& tile, const SoftMaxViews& at, View work, View few) {
    const auto reduce = [&](const Reduction& by, View from, View wide, View half) {
        const CallSteps blocks = tile.s.Repeats(Up(tile.m, 8));
        tile.ReduceTiles(by, few, from, work);
        if (!at.narrow) {
            return blocks.Brcb(wide, few);
        }
        blocks.NoBarrier().Brcb(work.By(2, 16), few);
        blocks.Brcb(work[8].By(2, 16), few);
        tile.s.Repeats(Up(tile.m * tile.per, 64)).Cast(half, work);
    };
    const int64_t step = at.narrow ? 2 : 1;
    reduce(kMaxima, at.from, at.high, at.max);
    tile.WithTiles(Opcode::Sub, at.to, at.from, at.narrow ? work : at.high, step);
    tile.all.Exp(at.to, at.to);
    reduce(kSums, at.to, at.low, at.sum);
    tile.WithTiles(Opcode::Div, at.to, at.to, at.narrow ? work : at.low, step);
}

/// Lists the instructions that compute log10 of each element of x, the result of a softmax.
void LogarithmOfRows(const RowTile& tile, View x) {
    const bool columns = tile.k < 192;
    const CallSteps each = tile.s.Count(columns ? 8 * tile.m : tile.k);
    for (int64_t i = 0; i < (columns ? tile.k / 8 : tile.m); ++i) {
        const View part = columns ? x[8 * i].By(tile.k / 8, tile.k) : x[i * tile.k];
        each.Ln(part, part);
        each.Muls(part, part);
    }
}

/// Calls part(tile, first row) for tile number `first` and all later tiles.
template <typename Part>
void AlongRowsFrom(CallSteps s, int64_t first, int64_t per, Part part) {
    for (int64_t row = first * s.Once(); row < s.Rows(); row += s.Once()) {
        part(RowTile(s, std::min(s.Once(), s.Rows() - row), s.Columns(), per), row);
    }
}

/// Lists the instructions of the gradient for half, from tile `first` on. `front`: only the sums.
void GradientOfHalves(CallSteps s, bool front, int64_t first) {
    const View dst = s.Operand(0), src = s.Operand(1), grad = s.Operand(2);
    const int64_t k = s.Columns(), one = s.Once() * k;
    const View x = s.Floats(one), y = s.Floats(one), z = s.Floats(one);
    const View work = s.Floats(s.Once() * 16), total = s.Floats(s.Once() * 16);
    AlongRowsFrom(s, first, 16, [&](const RowTile& tile, int64_t row) {
        tile.all.NoBarrier().Cast(x, src[row * k]);
        tile.all.Cast(y, grad[row * k]);
        tile.all.Mul(z, x, y);
        tile.Fold(kSums, total, z, work);
        if (front) {
            return tile.stats.NoBarrier().Cast(dst[row * 16], total);
        }
        RowTile(s, s.Once(), k, 16).Spread(z, total, k);
        tile.all.Sub(z, y, z);
        tile.all.Mul(z, z, x);
        tile.all.NoBarrier().Cast(dst[row * k], z);
    });
}

void FrontOfFloats(CallSteps s, View a, View b, int64_t first) {
    const int64_t k = s.Columns();
    const View z = s.Floats(s.Once() * k), work = s.Floats(s.Once() * 8);
    AlongRowsFrom(s, first, 8, [&](const RowTile& tile, int64_t row) {
        tile.all.Mul(z, a[row * k], b[row * k]);
        tile.Fold(kSums, s.Operand(0)[row * 8], z, work);
    });
}

/// Lists the instructions that sum `m` rows; k is a multiple of 64.
void SumTiles(CallSteps s, View x, View sums, int64_t m, int64_t k) {
    const CallSteps rows = s.Repeats(m);
    const View row = x.By(1, k / 8);
    for (int64_t j = 1; j < k / 64; ++j) {
        rows.Add(row, row, row[64 * j]);
    }
    rows.BlockReduceSum(x, row);
    s.Repeats(Up(m, 8)).BlockReduceSum(sums, x);
}

}  // namespace

void AdjustSoftMaxResSteps(CallSteps s) {
    const View max = s.Operand(0).As(Dtype::U8), dst = s.Operand(1);
    const int64_t rows = s.Rows(), columns = s.Columns();
    s.ToScalar();
    for (int64_t j = 0; j < rows; ++j) {
        s.Read(max[j * s.Once()]);
        if (j >= s.Level()) {
            continue;
        }
        const bool fractals = s.Has(1);  // the call is in the NZ format
        for (int64_t i = 0; i < (fractals ? columns / 16 : 1); ++i) {
            const CallSteps run = s.Count(fractals ? 16 : columns).NoBarrier();
            run.Duplicate(dst[fractals ? (i * rows + j) * 16 : j * columns]);
        }
    }
}

void LogSoftMaxSteps(CallSteps s) {
    const View dst = s.Operand(0), src = s.Operand(1);
    const View sum = s.Operand(2).As(s.Type()), max = s.Operand(3).As(s.Type());
    const bool half = s.Half();
    const int64_t k = s.Columns(), per = half ? 16 : 8, once = s.Once();
    const View wide = s.Floats(half ? once * k : 0), kept = s.Floats(half ? once * per : 0);
    const View work = s.Floats(once * 64);
    const bool fractals = half && s.Has(Form::kNz);
    s.If(!fractals).Barrier();
    AlongRows(s, per, [&](const RowTile& tile, int64_t row) {
        const int64_t e = row * per;
        s.If(tile.m < once).Barrier();
        const View x = half ? wide : src[row * k], y = half ? wide : dst[row * k];
        tile.all.If(half).Cast(wide, src[row * k]);
        const View high = half ? kept : max[e], low = half ? kept : sum[e];
        SoftMaxRows(tile, {x, y, y, high, low, max[e], sum[e], half}, work);
        s.Barrier();
        LogarithmOfRows(tile, y);
        tile.all.If(half).NoBarrier().Cast(dst[row * k], wide);
    });
    s.If(fractals && s.Rows() % once == 0).Barrier();  // only if all tiles have the full size
}

void SimpleSoftMaxSteps(CallSteps s) {
    const View dst = s.Operand(0), src = s.Operand(1);
    const View sum = s.Operand(2).As(Dtype::F32), max = s.Operand(3).As(Dtype::F32);
    const bool half = s.Half(), basic = s.Has(Form::kBasic);
    const int64_t k = s.Columns(), per = s.Has(Form::kWide) ? 8 : 16;
    if (s.Has(Form::kNz)) {
        return half ? softmax::FractalSteps(s, {src, sum, max}, {dst})
                    : softmax::FractalSteps(s, {dst, src, sum, max}, {dst});
    }
    s.If(half || basic).Barrier();
    if (!half) {  // all rows at once
        const RowTile tile(s, s.Rows(), k, per);
        if (basic) {
            tile.WithTiles(Opcode::Sub, dst, src, max);
            tile.all.Exp(dst, dst);
            return tile.WithTiles(Opcode::Div, dst, dst, sum, 1, false);
        }
        tile.With(Opcode::Sub, dst, src, max);
        tile.all.Exp(dst, dst);
        return tile.With(Opcode::Div, dst, dst, sum, false);
    }
    if (per == 16) {
        s.Unlisted({dst, src, sum, max});
    }
    const View wide = s.Floats(s.Once() * k);
    AlongRows(s, per, [&](const RowTile& tile, int64_t row) {
        s.If(!basic && tile.m < s.Once()).Barrier();
        tile.all.Cast(wide, src[row * k]);
        const View high = max[row * per], low = sum[row * per];
        if (basic) {
            tile.WithTiles(Opcode::Sub, wide, wide, high);
            tile.all.Exp(wide, wide);
            tile.WithTiles(Opcode::Div, wide, wide, low);
        } else {
            tile.With(Opcode::Sub, wide, wide, high);
            tile.all.Exp(wide, wide);
            tile.With(Opcode::Div, wide, wide, low);
        }
        tile.all.NoBarrier().Cast(dst[row * k], wide);
    });
    s.If(!basic && s.Rows() % s.Once() == 0).Barrier();  // only if all tiles have the full size
}

void SoftMaxSteps(CallSteps s) {
    const bool half = s.Half(), stats = s.Has(Form::kStats), wide = s.Has(Form::kWide);
    const Dtype type = wide ? Dtype::F32 : Dtype::F16;
    const View dst = s.Operand(0), src = s.Operand(1);
    const View sum = s.Operand(2).As(type), max = s.Operand(3).As(type);
    if (s.Has(Form::kNz)) {
        return softmax::FractalSteps(s, {src}, {dst, sum, max});
    }
    const int64_t k = s.Columns(), per = wide ? 8 : 16, once = s.Once();
    const View widened = s.Floats(half ? once * k : 0);
    const View kept = s.Floats(stats && wide ? 0 : once * per);
    const View work = s.Floats(once * 64), few = s.Floats(once * 8);
    s.Barrier();
    AlongRows(s, per, [&](const RowTile& tile, int64_t row) {
        const int64_t e = row * per;
        const View x = half ? widened : src[row * k], y = half ? widened : dst[row * k];
        const View high = stats && wide ? max[e] : kept, low = stats && wide ? sum[e] : kept;
        tile.all.If(half).Cast(widened, src[row * k]);
        SoftMaxViews places = {x, y, y, high, low, max[e], sum[e], stats && !wide};
        if (s.Has(Form::kBasic) && stats) {
            SoftMaxTiles(tile, places, work, few);
        } else {
            places.exponentials = s.Has(Form::kReuse) && !half ? x : y;
            SoftMaxRows(tile, places, work);
            s.If(half).Barrier();
        }
        tile.all.If(half).NoBarrier().Cast(dst[row * k], widened);
    });
}

void SoftmaxGradSteps(CallSteps s) {
    const View dst = s.Operand(0), src = s.Operand(1), grad = s.Operand(2);
    const bool front = s.Has(Form::kUpdate);
    const int64_t k = s.Columns(), once = s.Once();
    if (s.Has(Form::kNz)) {
        return softmax::FractalSteps(s, {src, grad}, {dst});
    }
    if (s.Half()) {
        return GradientOfHalves(s, front, 0);
    }
    if (front) {
        return FrontOfFloats(s, grad, src, 0);
    }
    const View z = s.Floats(once * k), work = s.Floats(once * 8), total = s.Floats(once * 8);
    AlongRowsFrom(s, 0, 8, [&](const RowTile& tile, int64_t row) {
        const View x = src[row * k], y = grad[row * k];
        tile.all.Mul(z, x, y);
        tile.Fold(kSums, total, z, work);
        RowTile(s, once, k, 8).Spread(z, total, k);
        tile.all.Sub(z, y, z);
        tile.all.NoBarrier().Mul(dst[row * k], x, z);
    });
}

void SoftmaxGradFrontSteps(CallSteps s) {
    const View dst = s.Operand(0), src = s.Operand(1), grad = s.Operand(2);
    if (s.Has(Form::kNz)) {
        return softmax::FractalSteps(s, {src, grad}, {dst});
    }
    const int64_t k = s.Columns(), once = s.Once(), n = once * k;
    const int64_t tiles = s.Has(Form::kBasic) ? s.Rows() / once : 0;
    const CallSteps all = s.Count(n), blocks = s.Repeats(Up(once, 8));
    const View x = s.Buffer(Dtype::F32), y = x[n];
    for (int64_t i = 0; i < tiles; ++i) {
        const View a = src[i * n], b = grad[i * n];
        if (s.Half()) {
            const View z = y[n], sums = z[n];
            all.NoBarrier().Cast(x, a);
            all.Cast(y, b);
            all.Mul(z, x, y);
            SumTiles(s, z, sums, once, k);
            blocks.NoBarrier().Brcb(z.By(2, 16), sums);
            blocks.Brcb(z[8].By(2, 16), sums);
            s.Repeats(Up(once * 16, 64)).NoBarrier().Cast(dst[i * once * 16], z);
        } else {
            s.Barrier();
            all.Mul(x, a, b);
            SumTiles(s, x, y, once, k);
            blocks.NoBarrier().Brcb(dst[i * once * 8], y);
        }
    }
    if (s.Half()) {
        GradientOfHalves(s, true, tiles);
    } else {
        FrontOfFloats(s, src, grad, tiles);
    }
}

}  // namespace twin
