// SPDX-License-Identifier: Apache-2.0
#include "device/softmax/steps.h"

namespace twin {
namespace {

using softmax::AlongRows, softmax::Form, softmax::kMaxima, softmax::kSums, softmax::RowTile;

/// The operands of a flash softmax for one tile.
struct FlashTile {
    CallSteps s;
    const RowTile& tile;
    int64_t row;
    View dst = s.Operand(0)[row * tile.k], src = s.Operand(1)[row * tile.k];
    View sum = Stat(2), max = Stat(3), grown = s.Operand(4)[row * tile.per];
    View before = Stat(5), high = Stat(6);

    View Stat(size_t operand) const {
        return s.Operand(operand).As(s.Has(Form::kWide) ? Dtype::F32 : Dtype::F16)[row * tile.per];
    }
};

/// The scratch buffers of SoftmaxFlash with isUpdate.
struct FlashWork {
    View x, t, last, total, own, old;
};

/// Lists the instructions that compute the factors of earlier sums (`last`) and new sums (`own`).
void FlashWeights(const CallSteps& stats, View last, View own, View high) {
    stats.NoBarrier().Exp(own, own);
    stats.Sub(last, last, high);
    stats.NoBarrier().Exp(last, last);
}

void FlashUpdateHalf(const FlashTile& at, const RowTile& whole, const FlashWork& w, bool full) {
    const RowTile& tile = at.tile;
    const CallSteps &all = tile.all, &stats = tile.stats;
    all.Cast(w.x, at.src);
    whole.Fold(kMaxima, w.own, w.x, w.total);
    whole.Spread(w.t, w.own, tile.k);
    all.Sub(w.t, w.x, w.t);
    all.Exp(w.t, w.t);
    whole.Fold(kSums, w.total, w.t, w.last);
    stats.DataCopy(w.last, at.high);
    stats.Max(at.max, w.last, w.own);
    stats.Sub(w.own, w.own, at.max);
    FlashWeights(stats, w.last, w.own, at.max);
    stats.DataCopy(w.old, at.before);
    stats.NoBarrier().Mul(w.last, w.last, w.old);
    stats.Mul(w.total, w.own, w.total);
    stats.Add(w.old, w.last, w.total);
    stats.Div(w.last, w.last, w.old);
    stats.If(full).NoBarrier().DataCopy(at.sum, w.old);
    whole.Spread(w.x, w.last, 16);
    tile.s.Count(2 * stats.n).NoBarrier().Cast(at.grown, w.x);
    stats.If(!full).NoBarrier().DataCopy(at.sum, w.old);
    stats.Div(w.own, w.own, w.old);
    whole.Spread(w.x, w.own, tile.k);
    all.Mul(w.t, w.t, w.x);
    all.NoBarrier().Cast(at.dst, w.t);
}

void FlashUpdateFloat(const FlashTile& at, const FlashWork& w, bool full) {
    const RowTile& tile = at.tile;
    const CallSteps &all = tile.all, &stats = tile.stats;
    tile.s.Barrier();
    tile.Fold(kMaxima, w.own, at.src, w.total);
    tile.Spread(w.t, w.own, tile.k);
    all.Sub(w.t, at.src, w.t);
    all.Exp(w.t, w.t);
    tile.Fold(kSums, w.total, w.t, w.last);
    stats.DataCopy(w.x, at.high);
    stats.Max(w.last, w.x, w.own);
    stats.DataCopy(at.max, w.last);
    stats.Sub(w.own, w.own, w.last);
    FlashWeights(stats, w.x, w.own, w.last);
    stats.DataCopy(w.old, at.before);
    stats.NoBarrier().Mul(w.x, w.x, w.old);
    stats.Mul(w.total, w.own, w.total);
    stats.Add(at.sum, w.x, w.total);
    stats.Div(at.grown, w.x, at.sum);
    stats.If(full).NoBarrier().DataCopy(at.sum, at.sum);
    stats.Div(w.own, w.own, at.sum);
    tile.Spread(w.x, w.own, tile.k);
    all.NoBarrier().Mul(at.dst, w.t, w.x);
}

void FlashUpdate(CallSteps s, int64_t per) {
    const int64_t once = s.Once(), k = s.Columns();
    const RowTile whole(s, once, k, per);
    FlashWork work;
    work.x = s.Floats(once * k);
    work.t = s.Floats(once * k);
    for (View* const each : {&work.last, &work.total, &work.own, &work.old}) {
        *each = s.Floats(once * per);
    }
    AlongRows(s, per, [&](const RowTile& tile, int64_t row) {
        FlashTile at{s, tile, row};
        s.If(tile.m < once).Barrier();
        if (s.Half()) {
            at.grown = s.Operand(4)[2 * row * per];
            FlashUpdateHalf(at, whole, work, tile.m == once);
        } else {
            FlashUpdateFloat(at, work, tile.m == once);
        }
    });
    s.If(s.Rows() % once == 0).Barrier();
}

/// Lists only accesses to operands: for SoftmaxFlash updates whose instructions are not modelled.
void UnlistedFlashUpdate(CallSteps s) {
    const bool basic = s.Has(Form::kBasic);
    s.If(basic).Barrier();
    s.Unlisted({s.Operand(1)});
    s.Barrier();
    s.Unlisted(
        {s.Operand(0), s.Operand(2), s.Operand(3), s.Operand(4), s.Operand(5), s.Operand(6)});
    s.If(basic ? !s.Half() : s.Rows() % s.Once() == 0).Barrier();
}

/// Lists only accesses to operands: for SoftmaxFlashV2 calls whose instructions are not modelled.
void UnlistedFlashV2(CallSteps s) {
    const bool half = s.Half(), wide = s.Has(Form::kWide), update = s.Has(Form::kUpdate);
    const View dst = s.Operand(0), src = s.Operand(1), sum = s.Operand(2), max = s.Operand(3);
    const View grown = s.Operand(4), before = s.Operand(5), high = s.Operand(6);
    if (s.Has(Form::kNz) && !update) {
        return softmax::FractalSteps(s, {src}, {dst, sum, max});
    }
    if (s.Has(Form::kNz)) {
        return half && wide ? softmax::FractalSteps(s, {src, high}, {dst, sum, max, grown, before})
                            : softmax::FractalSteps(s, {src, before, high}, {dst, sum, max, grown});
    }
    const bool packed = s.Has(Form::kPacked);
    s.If(packed || update || wide).Barrier();
    s.Unlisted({src});
    s.Barrier();
    s.Unlisted({dst, sum, max, grown, before, high});
    if (update && s.Has(Form::kRowMax)) {
        s.Unlisted({s.Operand(7)});
    }
    s.If(packed).Barrier();
}

/// The scratch buffers of SoftmaxFlashV2.
struct FlashV2Work {
    View wide, kept, work, few;
};

void FlashV2First(const FlashTile& at, const FlashV2Work& w, bool half, bool wide) {
    const RowTile& tile = at.tile;
    const View high = wide ? at.max : w.kept, low = wide ? at.sum : w.kept;
    const View x = half ? w.wide : at.src, y = half ? w.wide : at.dst;
    tile.all.If(half).Cast(w.wide, at.src);
    tile.Reduce(kMaxima, high, x, w.work);
    tile.With(Opcode::Sub, y, x, high);
    tile.stats.If(!wide).NoBarrier().Cast(at.max, w.kept);
    tile.all.Exp(y, y);
    tile.all.If(half).Cast(at.dst, w.wide);
    tile.Reduce(kSums, low, y, w.work, !wide);
    tile.stats.If(!wide).NoBarrier().Cast(at.sum, w.kept);
}

void FlashV2Float(const FlashTile& at, const FlashV2Work& w) {
    const RowTile& tile = at.tile;
    const CallSteps& stats = tile.stats;
    tile.Reduce(kMaxima, w.kept, at.src, w.work);
    stats.Max(w.kept, at.high, w.kept);
    stats.Sub(w.work, at.high, w.kept);
    stats.NoBarrier().Exp(at.grown, w.work);
    tile.With(Opcode::Sub, at.dst, at.src, w.kept);
    tile.all.NoBarrier().Exp(at.dst, at.dst);
    stats.DataCopy(at.max, w.kept);
    tile.Reduce(kSums, w.kept, at.dst, w.work, false);
    stats.Mul(at.sum, at.grown, at.before);
    stats.NoBarrier().Add(at.sum, at.sum, w.kept);
}

/// Lists the instructions of exp(x - top) and of the row sums, for half; `top` has the new maxima.
void FlashV2Exponentials(const FlashTile& at, const FlashV2Work& w, View top) {
    const RowTile& tile = at.tile;
    tile.With(Opcode::Sub, w.wide, w.wide, top);
    tile.all.Exp(w.wide, w.wide);
    tile.all.NoBarrier().Cast(at.dst, w.wide);
    tile.Reduce(kSums, w.few, w.wide, w.work, false);
}

void FlashV2WideStats(const FlashTile& at, const FlashV2Work& w) {
    const RowTile& tile = at.tile;
    const CallSteps& stats = tile.stats;
    stats.NoBarrier().DataCopy(w.kept, at.high);
    tile.all.Cast(w.wide, at.src);
    tile.Reduce(kMaxima, w.few, w.wide, w.work);
    stats.Max(at.max, at.high, w.few);
    FlashV2Exponentials(at, w, at.max);
    stats.Sub(w.kept, w.kept, at.max);
    stats.Exp(w.kept, w.kept);
    tile.s.Repeats(2 * Up(stats.n, 64)).Copy(w.wide.By(2, 16), w.kept);
    tile.s.Count(2 * stats.n).NoBarrier().Cast(at.grown, w.wide);
    stats.Mul(w.kept, w.kept, at.before);
    stats.NoBarrier().Add(at.sum, w.kept, w.few);
}

void FlashV2Half(const FlashTile& at, const FlashV2Work& w) {
    const RowTile& tile = at.tile;
    const CallSteps& stats = tile.stats;
    stats.NoBarrier().Cast(w.kept, at.high);
    tile.all.Cast(w.wide, at.src);
    tile.Reduce(kMaxima, w.few, w.wide, w.work);
    stats.Max(w.few, w.kept, w.few);
    stats.NoBarrier().Sub(w.kept, w.kept, w.few);
    stats.NoBarrier().Cast(at.max, w.few);
    FlashV2Exponentials(at, w, w.few);
    stats.Exp(w.kept, w.kept);
    stats.NoBarrier().Cast(at.grown, w.kept);
    stats.Cast(w.work, at.before);
    stats.Mul(w.kept, w.kept, w.work);
    stats.Add(w.work, w.kept, w.few);
    stats.NoBarrier().Cast(at.sum, w.work);
}

}  // namespace

void SoftmaxFlashSteps(CallSteps s) {
    const bool half = s.Half(), wide = s.Has(Form::kWide), update = s.Has(Form::kUpdate);
    const int64_t per = wide ? 8 : 16, once = s.Once(), k = s.Columns();
    if (update && (s.Has(Form::kBasic) || (half && !wide))) {
        return UnlistedFlashUpdate(s);
    }
    if (update) {
        return FlashUpdate(s, per);
    }
    const View widened = s.Floats(half ? once * k : 0), kept = s.Floats(wide ? 0 : once * per);
    const View work = s.Floats(once * 64);
    s.Barrier();
    AlongRows(s, per, [&](const RowTile& tile, int64_t row) {
        const FlashTile at{s, tile, row};
        const View x = half ? widened : at.src, y = half ? widened : at.dst;
        tile.all.If(half).Cast(widened, at.src);
        const View high = wide ? at.max : kept, low = wide ? at.sum : kept;
        softmax::SoftMaxRows(tile, {x, y, y, high, low, at.max, at.sum, !wide}, work);
        if (half) {
            s.Barrier();
            tile.all.NoBarrier().Cast(at.dst, widened);
        }
    });
}

void SoftmaxFlashV2Steps(CallSteps s) {
    const bool half = s.Half(), wide = s.Has(Form::kWide), update = s.Has(Form::kUpdate);
    const int64_t per = wide ? 8 : 16, once = s.Once();
    if (s.Has(Form::kBasic | Form::kNz | Form::kPacked)) {
        return UnlistedFlashV2(s);
    }
    FlashV2Work work;
    work.wide = s.Floats(half ? once * s.Columns() : 0);
    work.kept = s.Floats(update || !wide ? once * per : 0);
    work.work = s.Floats(once * 64);
    work.few = s.Floats(once * per);
    s.Barrier();
    AlongRows(s, per, [&](const RowTile& tile, int64_t row) {
        FlashTile at{s, tile, row};
        if (!update) {
            FlashV2First(at, work, half, wide);
        } else if (!half) {
            FlashV2Float(at, work);
        } else if (wide) {
            at.grown = s.Operand(4)[2 * row * per];
            FlashV2WideStats(at, work);
        } else {
            FlashV2Half(at, work);
        }
    });
}

void SoftmaxFlashV3Steps(CallSteps s) {
    s.Barrier();
    s.Unlisted({s.Operand(0), s.Operand(1)});
}

}  // namespace twin
