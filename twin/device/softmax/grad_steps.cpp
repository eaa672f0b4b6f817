// SPDX-License-Identifier: Apache-2.0
#include "device/softmax/steps.h"

namespace twin {
namespace {

using softmax::Form;
using softmax::kSums;
using softmax::RowTile;

/// Calls part(tile, first row) for the rows from tile `first` on.
template <typename Part>
void AlongRowsFrom(CallSteps s, int64_t first, int64_t per, Part part) {
    for (int64_t row = first * s.Once(); row < s.Rows(); row += s.Once()) {
        part(RowTile(s, std::min(s.Once(), s.Rows() - row), s.Columns(), per), row);
    }
}

/// With `front`, the call computes only the sums of the products.
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

/// Sums `m` rows of whole repeats.
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
