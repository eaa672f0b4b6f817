// SPDX-License-Identifier: Apache-2.0
#include "device/softmax/steps.h"

namespace twin::softmax {
namespace {

constexpr int64_t kFloats = 64;        // number of floats in a repeat
constexpr int64_t kMostRepeats = 255;  // largest number of repeats of an instruction
constexpr int64_t kMostPitch = 2040;   // largest repeat stride, in elements
constexpr int64_t kManyColumns = 192;  // rows of at least this length are processed one by one
constexpr int64_t kLongRow = 512;

}  // namespace

void RowTile::FoldRepeats(const Reduction& by, View dst, View src, int64_t split) const {
    if (m > split) {
        for (int64_t i = 2; i < split; ++i) {
            s.Barrier();
            Repeats().Do(by.both, dst, dst, Row(src, kFloats * i));
        }
        return;
    }
    s.Barrier();
    for (int64_t i = 0; i < m; ++i) {
        const View to = dst[kFloats * i].By(1, 0);
        s.Repeats(split - 2).NoBarrier().Do(by.both, to, src[2 * kFloats + i * k], to);
    }
}

void RowTile::FoldTails(const Reduction& by, View dst, View src) const {
    const int64_t at = valid / kFloats * kFloats, tail = valid % kFloats;
    s.Barrier();
    if (k <= kMostPitch) {
        return s.Repeats(m, tail).NoBarrier().Do(by.both, dst, dst, Row(src, at));
    }
    for (int64_t i = 0; i < m; ++i) {
        const View to = dst[kFloats * i];
        s.Repeats(1, tail).NoBarrier().Do(by.both, to, to, src[at + i * k]);
    }
}

/// Reduces rows of at least 512 elements: the first 512 by blocks, then the rest by repeats.
void RowTile::FoldLong(const Reduction& by, View dst, View src) const {
    const int64_t split = valid / kFloats;
    for (int64_t i = 0; i < m; ++i) {
        s.Repeats(8).NoBarrier().Do(by.block, dst[kFloats * i], src[i * k]);
    }
    if (split <= 8) {
        return;
    }
    s.Barrier();
    for (int64_t i = 0; i < m; ++i) {
        const View to = dst[kFloats * i].By(1, 0);
        s.Repeats(split - 8).NoBarrier().Do(by.both, to, src[kLongRow + i * k], to);
    }
}

/// Reduces rows shorter than a repeat.
void RowTile::Short(const Reduction& by, View dst, View src) const {
    InParts(m, kMostRepeats, [&](int64_t row, int64_t count) {
        s.Repeats(count, valid).NoBarrier().Do(by.whole, dst[row], Row(src, row * k));
    });
    s.Barrier();
}

void RowTile::FillStats(View dst, View work, bool barrier) const {
    const CallSteps rows = s.Repeats(Up(m, 8));
    if (per == 16 && m != 1) {
        rows.NoBarrier().Brcb(work.By(2, 16), dst);
        rows.Brcb(work[8].By(2, 16), dst);
    } else {
        rows.Brcb(work, dst);
        s.If(per == 16).Count(8).DataCopy(work[8], work);
    }
    stats.NoBarrier().Copy(dst, work);
    s.If(barrier).Barrier();
}

void RowTile::Reduce(const Reduction& by, View dst, View src, View work, bool barrier) const {
    if (valid < kFloats) {
        Short(by, dst, src);
        return FillStats(dst, work, barrier);
    }
    if (valid >= kLongRow) {
        FoldLong(by, work, src);
    } else if (valid >= 2 * kFloats) {
        Repeats().Do(by.both, work, Row(src, 0), Row(src, kFloats));
        FoldRepeats(by, work, src, valid / kFloats);
    } else {
        InParts(m, kMostRepeats, [&](int64_t row, int64_t count) {
            s.Repeats(count).NoBarrier().Copy(work[row * kFloats], Row(src, row * k));
        });
    }
    if (valid % kFloats != 0) {
        FoldTails(by, work, src);
    }
    s.Barrier();
    if (m == 1) {
        s.Repeats(8).Do(by.whole, dst, work.By(1, 0));
        s.If(per == 16).Count(8).DataCopy(dst[8], dst);
    } else {
        s.Count(kFloats * m).Do(by.block, work, work);
        s.Count(8 * m).Do(by.block, dst, work);
    }
    if (m != 1 || valid == kFloats) {
        FillStats(dst, work, barrier);
    }
}

void RowTile::With(Opcode op, View dst, View src, View stat, bool barrier) const {
    if (k < kManyColumns) {
        for (int64_t e = 0; e < k / 8 * 8; e += 8) {
            const auto column = [&](View of) { return of[e].By(k / 8, k); };
            s.Count(8 * m).NoBarrier().Do(op, column(dst), column(src), stat.By(per / 8, per));
        }
    } else {
        for (int64_t i = 0; i < m; ++i) {
            const View one = stat[i * per].By(0, 0);
            s.Count(k).NoBarrier().Do(op, dst[i * k], src[i * k], one);
        }
    }
    s.If(barrier).Barrier();
}

void RowTile::Fold(const Reduction& by, View dst, View src, View work) const {
    const int64_t split = valid / kFloats, tail = valid % kFloats;
    const CallSteps blocks = s.Count(8 * m);
    for (int64_t i = 0; i < split; ++i) {
        s.Repeats(m).Do(by.block, dst, Row(src, kFloats * i));
        if (i == 0) {
            blocks.DataCopy(work, dst);
        } else {
            blocks.Do(by.both, work, work, dst);
        }
    }
    if (split > 0) {
        blocks.NoBarrier().Do(by.block, work, work);
    }
    if (tail != 0) {
        InParts(m, kMostRepeats, [&](int64_t row, int64_t count) {
            const View from = Row(src, kFloats * split + row * k);
            s.Repeats(count, tail).NoBarrier().Do(by.whole, dst[row], from);
        });
        s.Barrier();
        if (split == 0) {
            blocks.NoBarrier().DataCopy(work, dst);
        } else {
            blocks.NoBarrier().Do(by.both, work, work, dst);
        }
    }
    s.Barrier();
    SpreadFolded(dst, work);
}

/// Writes each row's result to `per` elements: 8 rows at once with Brcb, the last rows singly.
void RowTile::SpreadFolded(View dst, View src) const {
    const CallSteps eights = s.Repeats(m / 8).NoBarrier();
    if (per == 16) {
        eights.Brcb(dst.By(2, 16), src);
        eights.Brcb(dst[8].By(2, 16), src);
    } else {
        eights.Brcb(dst, src);
    }
    if (m % 8 != 0) {
        s.ToScalar();
        for (int64_t i = m / 8 * 8; i < m; ++i) {
            s.Read(src[i]);
        }
        s.ToVector();
        for (int64_t i = m / 8 * 8; i < m; ++i) {
            s.Count(per).NoBarrier().Duplicate(dst[i * per]);
        }
    }
    s.Barrier();
}

void RowTile::Spread(View dst, View src, int64_t columns) const {
    InParts(columns / 8, kMostRepeats, [&](int64_t block, int64_t count) {
        const View to = dst[8 * block].By(columns / 8, 1);
        s.Repeats(count, 8 * m).NoBarrier().Copy(to, src.By(per / 8, 0));
    });
    s.Barrier();
}

void RowTile::ReduceTiles(const Reduction& by, View dst, View src, View work) const {
    if (k == kFloats) {
        s.Repeats(m).Do(by.block, work, src);
    } else {
        Repeats().Do(by.both, work, Row(src, 0), Row(src, kFloats));
        FoldRepeats(by, work, src, k / kFloats);
        s.Barrier();
        s.Repeats(m).Do(by.block, work, work);
    }
    s.Repeats(Up(m, 8)).Do(by.block, dst, work);
}

void RowTile::WithTiles(Opcode op, View dst, View src, View stat, int64_t blocks,
                        bool barrier) const {
    for (int64_t i = 0; i < k / kFloats; ++i) {
        Repeats().Do(op, Row(dst, kFloats * i), Row(src, kFloats * i), stat.By(0, blocks));
    }
    s.If(barrier).Barrier();
}

void SoftMaxRows(const RowTile& tile, const SoftMaxViews& at, View work) {
    tile.Reduce(kMaxima, at.high, at.from, work);
    tile.stats.If(at.narrow).Cast(at.max, at.high);
    tile.With(Opcode::Sub, at.to, at.from, at.high);
    tile.all.Exp(at.exponentials, at.to);
    tile.Reduce(kSums, at.low, at.exponentials, work);
    tile.stats.If(at.narrow).Cast(at.sum, at.low);
    tile.With(Opcode::Div, at.to, at.exponentials, at.low, false);
}

void FractalSteps(CallSteps s, std::initializer_list<View> first,
                  std::initializer_list<View> then) {
    s.Unlisted(first);
    s.Barrier();
    s.Unlisted(then);
    s.If(s.Rows() % s.Once() == 0).Barrier();  // only if all tiles have the full size
}

}  // namespace twin::softmax
