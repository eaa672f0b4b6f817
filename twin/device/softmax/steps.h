// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/library_steps.h"

// The functions below list instructions that several softmax calls use.
namespace twin::softmax {

/// Bits of CallShape::form of the softmax calls.
struct Form {
    static constexpr uint32_t kBasic = 1, kNz = 2, kStats = 4, kUpdate = 8, kReuse = 16;
    static constexpr uint32_t kWide = 32;  ///< sums and maxima have the type float
    static constexpr uint32_t kPacked = 64;
    static constexpr uint32_t kRowMax = 128;  ///< with maxima of the rows alone
};

/// Instructions for maxima or sums: of each repeat (`whole`), each block, or two vectors (`both`).
struct Reduction {
    Opcode whole, block, both;
};
inline constexpr Reduction kMaxima = {Opcode::WholeReduceMax, Opcode::BlockReduceMax, Opcode::Max};
inline constexpr Reduction kSums = {Opcode::WholeReduceSum, Opcode::BlockReduceSum, Opcode::Add};

/// Lists instructions on `m` rows of `k` floats, of which the first `valid` are data. The maximum
/// and the sum of a row fill `per` elements each.
struct RowTile {
    RowTile(CallSteps s, int64_t m, int64_t k, int64_t per)
        : s(s), all(s.Count(m * k)), stats(s.Count(m * per)), m(m), k(k), per(per) {}

    /// Reduces each row to a result that fills `per` elements; `work` has one repeat per row.
    void Reduce(const Reduction& by, View dst, View src, View work, bool barrier = true) const;
    /// Reduces rows like `Reduce`, but reduces blocks first; used by flash updates and gradients.
    void Fold(const Reduction& by, View dst, View src, View work) const;
    /// Lists the instructions of dst = src op `stat` for each row; `stat` is a result of `Reduce`.
    void With(Opcode op, View dst, View src, View stat, bool barrier = true) const;
    /// Fills rows of `columns` elements with the results of `Fold`.
    void Spread(View dst, View src, int64_t columns) const;
    /// ReduceTiles and WithTiles do what `Reduce` and `With` do, for rows of 64 * n elements.
    void ReduceTiles(const Reduction& by, View dst, View src, View work) const;
    void WithTiles(Opcode op, View dst, View src, View stat, int64_t blocks = 1,
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

/// The memory that a softmax uses for its rows, maxima and sums.
struct SoftMaxViews {
    View from, to, exponentials;
    View high, low;  ///< maxima and sums as floats
    View max, sum;   ///< maxima and sums as half, if the call returns half
    bool narrow;     ///< true if the call returns maxima and sums as half
};

/// Lists the instructions of a softmax of the tile's rows. No barrier follows the last instruction.
void SoftMaxRows(const RowTile& tile, const SoftMaxViews& at, View work);
/// For a call in the fractal format (NZ): lists only the accesses to operands. The accesses to
/// `first` come before a barrier, the accesses to `then` come after this barrier.
void FractalSteps(CallSteps s, std::initializer_list<View> first, std::initializer_list<View> then);

/// Calls part(tile, first row) for each tile of the call. A tile has up to s.Once() rows.
template <typename Part>
void AlongRows(CallSteps s, int64_t per, Part part) {
    InParts(s.Rows(), s.Once(),
            [&](int64_t row, int64_t m) { part(RowTile(s, m, s.Columns(), per), row); });
}

}  // namespace twin::softmax
