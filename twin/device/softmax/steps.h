// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_SOFTMAX_STEPS_H
#define TWIN_DEVICE_SOFTMAX_STEPS_H

#include "core/library_steps.h"

// Steps that several calls of the softmax family make.
namespace twin::softmax {

/// Bits of CallShape::form of the family's calls.
struct Form {
    static constexpr uint32_t kBasic = 1, kNz = 2, kStats = 4, kUpdate = 8, kReuse = 16;
    static constexpr uint32_t kWide = 32;  ///< sums and maxima are floats
    static constexpr uint32_t kPacked = 64;
};

/// The instructions that a maximum or a sum of rows is made of.
struct Reduction {
    StepOp whole, block, both;
};
inline constexpr Reduction kMaxima = {"WholeReduceMax", "BlockReduceMax", "Max"};
inline constexpr Reduction kSums = {"WholeReduceSum", "BlockReduceSum", "Add"};

/// `m` rows of `k` floats, of which `valid` count. Their maxima and sums fill `per` elements each.
struct RowTile {
    RowTile(CallSteps s, int64_t m, int64_t k, int64_t per)
        : s(s), all(s.Count(m * k)), stats(s.Count(m * per)), m(m), k(k), per(per) {}

    /// One result a row, `per` times; `work` has a repeat for each row.
    void Reduce(const Reduction& by, View dst, View src, View work, bool barrier = true) const;
    /// The same by folding blocks, as updates and gradients do it.
    void Fold(const Reduction& by, View dst, View src, View work) const;
    /// dst = src op the results of Reduce.
    void With(StepOp op, View dst, View src, View stat, bool barrier = true) const;
    /// Results of Fold fill rows of `columns` elements.
    void Spread(View dst, View src, int64_t columns) const;
    /// Of rows of whole repeats: one result for each, and an operation with such results.
    void ReduceTiles(const Reduction& by, View dst, View src, View work) const;
    void WithTiles(StepOp op, View dst, View src, View stat, int64_t blocks = 1,
                   bool barrier = true) const;

    CallSteps s, all, stats;
    int64_t m, k, per;
    int64_t valid = s.Valid();

private:
    CallSteps Repeats() const { return s.Repeats(m).NoBarrier(); }
    View Row(View src, int64_t first) const { return src[first].By(1, k / 8); }
    void FoldRepeats(const Reduction& by, View dst, View src, int64_t split) const;
    void FoldTails(const Reduction& by, View dst, View src) const;
    void FoldLong(const Reduction& by, View dst, View src) const;
    void Short(const Reduction& by, View dst, View src) const;
    void FillStats(View dst, View work, bool barrier) const;
    void SpreadFolded(View dst, View src) const;
};

/// Of a softmax: where its rows go through, and where its maxima and sums come to be.
struct SoftMaxViews {
    View from, to, exponentials;
    View high, low;  ///< floats
    View max, sum;   ///< of half, where the call gives them so
    bool narrow;     ///< it does
};

/// Without a barrier at the end.
void SoftMaxRows(const RowTile& tile, const SoftMaxViews& at, View work);
/// Of the fractal format (NZ), whose steps are not listed: what a tile touches first, and then.
void FractalSteps(CallSteps s, std::initializer_list<View> first, std::initializer_list<View> then);

/// Goes along the call's rows, `once` at a time: part(tile, first row).
template <typename Part>
void AlongRows(CallSteps s, int64_t per, Part part) {
    InParts(s.Rows(), s.Once(),
            [&](int64_t row, int64_t m) { part(RowTile(s, m, s.Columns(), per), row); });
}

}  // namespace twin::softmax

#endif  // TWIN_DEVICE_SOFTMAX_STEPS_H
