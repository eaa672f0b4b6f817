// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/instruction.h"

namespace twin::hazard {

/// Stores a number for each byte of memory, at first 0. A page of 4 KiB has one number per part;
/// the parts are only as small as the accesses to this page need.
class NumberedBytes {
public:
    /// Divides [begin, end) into runs of bytes with equal numbers; a run is within one page. Gives
    /// each run the number that next(old number, begin of the run, end of the run) returns.
    template <typename Next>
    void Renumber(uint64_t begin, uint64_t end, Next&& next) {
        while (begin < end) {
            const uint64_t base = begin / kPageBytes * kPageBytes;
            const uint64_t stop = std::min(end, base + kPageBytes);
            Renumber(PageAt(base), base, static_cast<uint32_t>(begin - base),
                     static_cast<uint32_t>(stop - base), next);
            begin = stop;
        }
    }
    /// Returns the end of the run of equal numbers that contains `begin`, but at most `end`.
    uint64_t EndOfRun(uint64_t begin, uint64_t end) {
        uint64_t at = begin;
        const uint32_t number = PageAt(at).At(static_cast<uint32_t>(at % kPageBytes));
        while (at < end) {
            const Page& page = PageAt(at);
            if (page.At(static_cast<uint32_t>(at % kPageBytes)) != number) {
                break;
            }
            at = ((at >> page.shift) + 1) << page.shift;
        }
        return std::min(at, end);
    }

private:
    static constexpr uint32_t kPageShift = 12;
    static constexpr uint64_t kPageBytes = 1U << kPageShift;
    static constexpr uint32_t kCoarsest = 5;  ///< largest `shift` of a divided page: 32-byte parts
    static constexpr uint64_t kChunkPages = 1024;

    struct Page {
        uint32_t number = 0;          ///< number of all bytes, if the page has only one number
        uint32_t shift = kPageShift;  ///< log2 of the size of a part; a part has one number
        std::unique_ptr<uint32_t[]> numbers;

        uint32_t At(uint32_t offset) const { return numbers ? numbers[offset >> shift] : number; }
    };
    using Chunk = std::vector<Page>;

    Page& PageAt(uint64_t begin) {
        const uint64_t page = begin >> kPageShift;
        if (last_ == nullptr || page / kChunkPages != lastChunk_) {
            lastChunk_ = page / kChunkPages;
            last_ = &chunks_[lastChunk_];  // the map never moves its nodes
            last_->resize(kChunkPages);
        }
        return (*last_)[page % kChunkPages];
    }
    /// Divides the page into parts so small that [begin, end) consists of whole parts.
    static void Refine(Page& page, uint32_t begin, uint32_t end) {
        const auto even = static_cast<uint32_t>(__builtin_ctz(begin | end));
        const uint32_t shift = std::min(even, kCoarsest);
        if (page.shift <= shift) {
            return;
        }
        const uint32_t parts = 1U << (kPageShift - shift);
        std::unique_ptr<uint32_t[]> numbers(new uint32_t[parts]);
        for (uint32_t i = 0; i < parts; ++i) {
            numbers[i] = page.At(i << shift);
        }
        page.numbers = std::move(numbers);
        page.shift = shift;
    }

    template <typename Next>
    static void Renumber(Page& page, uint64_t base, uint32_t begin, uint32_t end, Next& next) {
        const bool whole = end - begin == kPageBytes;
        if (page.numbers == nullptr) {
            const uint32_t now = next(page.number, base + begin, base + end);
            if (now == page.number) {
                return;
            }
            if (whole) {
                page.number = now;
                return;
            }
            Refine(page, begin, end);
            std::fill(&page.numbers[begin >> page.shift], &page.numbers[end >> page.shift], now);
            return;
        }
        Refine(page, begin, end);
        const uint32_t shift = page.shift;
        const uint32_t last = end >> shift;
        uint32_t now = 0;
        bool one = whole;
        for (uint32_t i = begin >> shift; i < last;) {
            const uint32_t before = page.numbers[i];
            uint32_t stop = i + 1;
            while (stop < last && page.numbers[stop] == before) {
                ++stop;
            }
            const uint32_t after =
                next(before, base + (uint64_t{i} << shift), base + (uint64_t{stop} << shift));
            one = one && (i == 0 || after == now);
            now = after;
            std::fill(&page.numbers[i], &page.numbers[0] + stop, now);
            i = stop;
        }
        if (one) {
            page = Page();
            page.number = now;
        }
    }

    std::unordered_map<uint64_t, Chunk> chunks_;
    uint64_t lastChunk_ = 0;
    Chunk* last_ = nullptr;
};

/// The end of a run of equal numbers. The conversion to uint64_t computes the end.
class RunEnd {
public:
    /// If `known`, the run ends at `end`; otherwise it ends at `end` or before.
    RunEnd(NumberedBytes& bytes, uint64_t begin, uint64_t end, bool known)
        : bytes_(bytes), begin_(begin), end_(end), known_(known) {}

    operator uint64_t() const { return known_ ? end_ : bytes_.EndOfRun(begin_, end_); }

private:
    NumberedBytes& bytes_;
    uint64_t begin_;
    uint64_t end_;
    bool known_;
};

/// The effect of an access on a history.
enum class Change : uint8_t {
    None,
    Own,    ///< the new history depends on the old one
    Shared  ///< all bytes of the access get the same history
};

/// Stores the access history of each byte of a memory. Bytes with equal histories share one State,
/// so an access computes only one new State for all of them.
template <typename State>
class History {
public:
    History() : states_(1), uses_(1) {}

    /// Calls after(before, begin, end, &state) once for each history among the accessed bytes;
    /// [begin, end) is the first run with the history `before`. `after` writes the new history to
    /// `state`, whose old value is arbitrary. `end` is a RunEnd, which converts to uint64_t.
    template <typename After>
    void Touch(uint64_t begin, const Runs& runs, After&& after) {
        ++access_;
        shared_ = 0;
        for (uint64_t repeat = 0; repeat < runs.repeat.count; ++repeat) {
            uint64_t at = begin + repeat * runs.repeat.stride;
            for (uint64_t block = 0; block < runs.block.count; ++block, at += runs.block.stride) {
                const uint64_t stop = at + runs.bytes;
                bytes_.Renumber(at, stop, [&](uint32_t before, uint64_t from, uint64_t to) {
                    if (uses_[before].access != access_) {
                        const bool last = before != 0 && uses_[before].bytes == to - from;
                        const RunEnd end(bytes_, from, last ? to : stop, last);
                        const uint32_t next = Next(before, from, end, last, after);
                        uses_[before].access = access_;
                        uses_[before].next = next;
                    }
                    const uint32_t now = uses_[before].next;
                    if (now != before) {
                        Move(before, now, to - from);
                    }
                    return now;
                });
            }
        }
        Drop();
    }
    /// Returns the number of different histories.
    size_t Count() const { return states_.size() - unused_.size(); }

private:
    struct Use {
        uint64_t bytes = 0;   ///< number of bytes with this history
        uint64_t access = 0;  ///< number of the latest access to bytes with this history
        uint32_t next = 0;    ///< `access` changes this history to history `next`
        bool kept = true;
    };

    /// Returns the number of the history after an access. `last` means that no other bytes have the
    /// old history.
    template <typename After>
    uint32_t Next(uint32_t before, uint64_t from, const RunEnd& end, bool last, After& after) {
        const Change change = after(static_cast<const State&>(states_[before]), from, end, &made_);
        if (change == Change::None) {
            return before;
        }
        if (change == Change::Shared && shared_ != 0) {
            return shared_;
        }
        uint32_t number = before;
        if (last) {
            std::swap(states_[before], made_);
        } else {
            number = Number(std::move(made_));
            // An access that touches a byte twice changes its history only once.
            uses_[number] = {0, access_, number, true};
        }
        shared_ = change == Change::Shared ? number : shared_;
        return number;
    }
    uint32_t Number(State&& state) {
        if (unused_.empty()) {
            states_.push_back(std::move(state));
            uses_.emplace_back();
            return static_cast<uint32_t>(states_.size() - 1);
        }
        const uint32_t number = unused_.back();
        unused_.pop_back();
        states_[number] = std::move(state);
        return number;
    }
    void Move(uint32_t before, uint32_t now, uint64_t count) {
        uses_[now].bytes += count;
        if (before == 0) {
            return;  // untouched bytes have history 0 and are not counted
        }
        uses_[before].bytes -= count;
        if (uses_[before].bytes == 0) {
            left_.push_back(before);
        }
    }
    /// Removes the histories that no byte has any more.
    void Drop() {
        for (const uint32_t number : left_) {
            if (uses_[number].bytes == 0 && uses_[number].kept) {
                uses_[number].kept = false;
                states_[number] = State();
                unused_.push_back(number);
            }
        }
        left_.clear();
    }

    NumberedBytes bytes_;
    std::deque<State> states_;
    State made_;  ///< latest history that was computed
    std::vector<Use> uses_;
    std::vector<uint32_t> unused_;
    std::vector<uint32_t> left_;
    uint64_t access_ = 0;
    uint32_t shared_ = 0;
};

}  // namespace twin::hazard
