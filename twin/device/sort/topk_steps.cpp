// SPDX-License-Identifier: Apache-2.0
// Lists the instructions that the library issues for TopK.
#include <algorithm>
#include <vector>

#include "core/library_steps.h"
#include "device/sort/sort.h"
#include "device/sort/topk.h"

namespace twin {
namespace {

using sort::kGroup, sort::kLists, sort::kPairBytes, sort::TopkForm;

constexpr int64_t kMaskBytes = 64;  ///< bytes of the GatherMask patterns in the scratch

Runs BytesOf(int64_t bytes) { return Runs{static_cast<uint64_t>(bytes)}; }

/// Lists the instructions with which the library writes the numbers 0 to count - 1 to `dst`.
/// `count` is a multiple of 32.
void ListIndices(const CallSteps& s, View dst, int64_t count) {
    constexpr int64_t kBlock = kBlockBytes / sizeof(int32_t);
    constexpr int64_t kRepeat = kRepeatBytes / sizeof(int32_t);
    for (int64_t i = 0; i < kBlock; ++i) {
        s.Write(dst[i]);
    }
    s.ToVector();
    s.Barrier();
    for (int64_t at = kBlock; at < std::min(count, kRepeat); at += kBlock) {
        s.Count(kBlock).Adds(dst[at], dst[at - kBlock]);
    }
    s.If(count > kRepeat).Barrier();
    for (int64_t at = kRepeat; at < count; at += kRepeat) {
        s.If(count - at < kRepeat).Barrier();
        s.Count(std::min(kRepeat, count - at)).Adds(dst[at], dst[at - kRepeat]);
    }
    s.Barrier();
}

/// The operands and buffers of a TopK call. Pairs have 8 B: a value and its index.
class TopkSteps {
public:
    explicit TopkSteps(const CallSteps& s)
        : s_(s),
          inner_(s.Has(TopkForm::kSmall) ? int64_t{kGroup} : s.Columns()),
          rows_(s.Rows()),
          k_(s.Valid()),
          size_(SizeOf(s.Type())),
          smallest_(s.Has(TopkForm::kSmallest)) {}

    /// Lists the steps of TOPK_NORMAL, which sorts one row after the other.
    void Normal() const {
        const View index = Indices(2 * inner_ * kPairBytes);
        for (int64_t row = 0; row < rows_; ++row) {
            SortGroups(Source()[row * inner_], index);
            Extract(row, Merge());
            if (s_.Has(TopkForm::kFinishes)) {
                s_.Read(s_.Operand(s_.Has(TopkForm::kGiven) ? 4 : 3)[row]);
                s_.ToVector();  // if the flag is set, a Duplicate follows, which is not listed
            }
            s_.Barrier();
        }
        s_.If(smallest_)
            .Count(rows_ * Up(k_, kBlockBytes / size_) * (kBlockBytes / size_))
            .NoBarrier()
            .Muls(Values(), Values());
    }

    /// Lists the steps of TOPK_NSMALL, which sorts all rows together: each row is one group.
    void Small() const {
        const int64_t all = inner_ * rows_;
        const int64_t masks = all * kPairBytes + (smallest_ ? all * size_ : 0);
        const View index = Indices(masks + kMaskBytes);
        const View negative = s_.Buffer(s_.Type(), all * kPairBytes);
        s_.If(smallest_).Count(all).Muls(negative, Source());
        Sort32(smallest_ ? negative : Source(), index, rows_);
        ExtractSmall(s_.Buffer(Dtype::U32, masks));
        s_.If(smallest_).Barrier();
        s_.If(smallest_).Count(rows_ * k_).NoBarrier().Muls(Values(), Values());
    }

private:
    View Values() const { return s_.Operand(0).As(s_.Type()); }
    View Source() const { return s_.Operand(2); }
    /// Returns one of the two buffers for the pairs of a row.
    View Pairs(int64_t which) const { return s_.Buffer(s_.Type(), which * inner_ * kPairBytes); }
    /// Returns `view` moved by `pairs` pairs.
    View After(View view, int64_t pairs) const { return view[pairs * kPairBytes / size_]; }

    /// Returns the indices of the source elements. If no operand has them, lists the instructions
    /// that write them to byte `at` of the scratch.
    View Indices(int64_t at) const {
        if (s_.Has(TopkForm::kGiven)) {
            return s_.Operand(3).As(Dtype::U32);
        }
        const View index = s_.Buffer(Dtype::I32, at);
        ListIndices(s_, index, inner_);
        if (s_.Has(TopkForm::kSmall) && rows_ > 1) {  // all rows have the same indices
            const int64_t blocks = inner_ * SizeOf(Dtype::I32) / kBlockBytes;
            s_.Repeats(rows_ - 1, inner_).Copy(index[inner_].By(1, blocks), index.By(1, 0));
        }
        return index.As(Dtype::U32);
    }

    void Sort32(View src, View index, int64_t groups) const {
        const int64_t elements = groups * kGroup;
        s_.Do(Opcode::Sort32, static_cast<uint64_t>(groups), static_cast<uint64_t>(elements),
              {{Pairs(0), BytesOf(elements * kPairBytes)},
               {src, BytesOf(elements * size_)},
               {index, BytesOf(elements * SizeOf(Dtype::U32))}});
    }

    void CopyPairs(View dst, View src) const {
        s_.Count(inner_ * kPairBytes / size_).DataCopy(dst, src);
    }

    /// Sorts each group of 32 elements of a row, and leaves the pairs in both buffers.
    void SortGroups(View src, View index) const {
        s_.If(smallest_).Count(inner_).Muls(Pairs(1), src);
        Sort32(smallest_ ? Pairs(1) : src, index, inner_ / kGroup);
        CopyPairs(Pairs(1), Pairs(0));
    }

    /// Merges the groups of a row. Returns the number of the buffer that has the result.
    int64_t Merge() const {
        int64_t merges = 0, length = kGroup;
        for (; length * kLists <= inner_; length *= kLists, ++merges) {
            const View src = Pairs(merges % 2), dst = Pairs((merges + 1) % 2);
            MergeFour(dst, src, length);
            CopyPairs(src, dst);
        }
        return length < inner_ ? MergeTwo(merges, length) : merges % 2;
    }

    /// Merges every four lists of `length` pairs into one list.
    void MergeFour(View dst, View src, int64_t length) const {
        const int64_t bytes = length * kPairBytes, repeats = inner_ / kLists / length;
        const auto count = static_cast<uint64_t>(repeats);
        const auto step = static_cast<uint64_t>(bytes) * kLists;
        const Runs list{static_cast<uint64_t>(bytes), Level(), {count, step}};
        s_.Do(Opcode::MrgSort, count, count * step / kPairBytes,
              {{dst, Runs{count * step}},
               {src, list},
               {After(src, length), list},
               {After(src, 2 * length), list},
               {After(src, 3 * length), list}});
    }

    /// Merges the remaining lists, the longest first, one after the other. Each list has at most
    /// the best k pairs. `merges` is the number of merges so far.
    int64_t MergeTwo(int64_t merges, int64_t length) const {
        std::vector<int64_t> lists;
        for (int64_t rest = inner_; length >= kGroup; length /= kLists) {
            lists.insert(lists.end(), static_cast<size_t>(rest / length), length);
            rest %= length;
        }
        int64_t sorted = 0;
        for (size_t i = 0; i + 1 < lists.size(); ++i, ++merges) {
            sorted += lists[i];
            const int64_t first = std::min(sorted, k_), second = std::min(lists[i + 1], k_);
            const View src = Pairs(merges % 2), dst = Pairs((merges + 1) % 2);
            s_.Do(Opcode::MrgSort, 1, static_cast<uint64_t>(first + second),
                  {{dst, BytesOf((first + second) * kPairBytes)},
                   {src, BytesOf(first * kPairBytes)},
                   {After(src, sorted), BytesOf(second * kPairBytes)}});
        }
        return merges % 2;
    }

    /// Lists a GatherMask that reads `count` pairs and keeps one element of `kept` of them. `bits`
    /// is the pattern for each group of pairs; nullptr: the pattern is built in.
    void Gather(const CallSteps& s, View dst, View pairs, int64_t count, int64_t kept,
                const View* bits = nullptr) const {
        const int64_t size = SizeOf(dst.dtype);
        const auto bytes = static_cast<uint64_t>(count * kPairBytes);
        const auto elements = bytes / static_cast<uint64_t>(size);
        const CallSteps::Place to = {dst, BytesOf(kept * size)}, from = {pairs, Runs{bytes}};
        if (bits == nullptr) {
            return s.Do(Opcode::GatherMask, 1, elements, {to, from});
        }
        const uint64_t each = kRepeatBytes / static_cast<uint64_t>(size) / 8;
        const auto groups = static_cast<uint64_t>(count) / kGroup;
        s.Do(Opcode::GatherMask, groups, elements, {to, from, {*bits, Runs{each}}});
    }

    /// Lists the instructions that split the best k pairs of a row into values and indices.
    void Extract(int64_t row, int64_t buffer) const {
        const auto place = [&](View view) {
            return view[row * Up(k_, kBlockBytes / SizeOf(view.dtype)) *
                        (kBlockBytes / SizeOf(view.dtype))];
        };
        const View pairs = Pairs(buffer), index = s_.Operand(1).As(Dtype::F32);
        Gather(s_, place(Values()), pairs, k_, k_);
        Gather(s_, place(index), pairs, k_, k_);
    }

    /// Lists the same instructions for all rows of TOPK_NSMALL. The scalar unit writes the
    /// patterns.
    void ExtractSmall(View masks) const {
        const bool half = s_.Half();
        s_.ToScalar();
        for (int64_t i = 0; i < (half ? 10 : 4); ++i) {
            s_.Write(masks[i]);
        }
        s_.ToVector();
        const View indices = s_.Operand(1).As(Dtype::F32);
        const View indexMask = masks[kBlockBytes / SizeOf(Dtype::U32)];
        Gather(half ? s_ : s_.NoBarrier(), Values(), Pairs(0), rows_ * kGroup, rows_ * k_, &masks);
        Gather(s_, indices, Pairs(0), rows_ * kGroup, rows_ * k_, &indexMask);
    }

    CallSteps s_;
    int64_t inner_, rows_, k_, size_;
    bool smallest_;
};

}  // namespace

void TopKSteps(CallSteps s) {
    const TopkSteps steps(s);
    s.Has(TopkForm::kSmall) ? steps.Small() : steps.Normal();
}

}  // namespace twin
