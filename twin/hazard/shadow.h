// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <new>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "hazard/access.h"

namespace twin::hazard {

/// Accesses to some bytes: the latest write, and each pipe's latest read after this write.
struct Cell {
    static constexpr uint32_t kReaders = 3;  ///< no local memory has more reading pipes

    uint8_t readers = 0;
    uint16_t taint = 0;  ///< if the bytes are invalid: number of their Taint::Origin from 1; else 0
    Access write;
    Access reads[kReaders];

    /// Adds a read. Replaces an earlier read of the same lane (pipe), since it executes in order.
    void NoteRead(const Access& access) {
        for (uint32_t i = 0; i < readers; ++i) {
            if (reads[i].lane == access.lane) {
                reads[i] = access;
                return;
            }
        }
        if (readers < kReaders) {
            reads[readers++] = access;
        }
    }
    void NoteWrite(const Access& access, uint16_t newTaint) {
        write = access;
        readers = 0;
        taint = newTaint;
    }
};

/// The cells of a page, if cells may begin at any byte. A separate array stores the offset at which
/// each cell begins, so that a search reads few cache lines of the host.
class Pieces {
public:
    explicit Pieces(const Cell& cell) : begins_(1), cells_(1, cell) {}

    /// Cuts the cells at `begin` and `end`; calls look(cell, begin, end) for each cell between.
    template <typename Look>
    void Visit(uint32_t begin, uint32_t end, uint32_t pageBytes, Look&& look) {
        size_t at = Find(begin);
        if (begins_[at] < begin) {
            Split(at++, begin);
        }
        for (; at < begins_.size() && begins_[at] < end; ++at) {
            if (End(at, pageBytes) > end) {
                Split(at, end);
            }
            look(cells_[at], begins_[at], End(at, pageBytes));
        }
    }
    /// Returns true if test(cell) is true for all cells that have bytes of [begin, end).
    template <typename Test>
    bool All(uint32_t begin, uint32_t end, Test&& test) const {
        for (size_t at = Find(begin); at < begins_.size() && begins_[at] < end; ++at) {
            if (!test(cells_[at])) {
                return false;
            }
        }
        return true;
    }
    /// Joins the cells in [begin, end), which must be equal. Visit() must have cut them.
    void Merge(uint32_t begin, uint32_t end) {
        const size_t first = Find(begin) + 1;
        size_t last = first;
        while (last < begins_.size() && begins_[last] < end) {
            ++last;
        }
        if (last != first) {
            const auto from = static_cast<ptrdiff_t>(first), to = static_cast<ptrdiff_t>(last);
            begins_.erase(begins_.begin() + from, begins_.begin() + to);
            cells_.erase(cells_.begin() + from, cells_.begin() + to);
        }
    }
    size_t Cells() const { return cells_.size(); }
    const Cell& First() const { return cells_[0]; }
    /// Adds a cell that begins at `begin`, after all other cells.
    void Append(uint32_t begin, const Cell& cell) {
        begins_.push_back(begin);
        cells_.push_back(cell);
    }

private:
    uint32_t End(size_t at, uint32_t pageBytes) const {
        return at + 1 < begins_.size() ? begins_[at + 1] : pageBytes;
    }
    /// Returns the index of the last cell that begins at `place` or before.
    size_t Find(uint32_t place) const {
        // Consecutive accesses are often close together: first search near the previous result.
        size_t near = std::min(near_, begins_.size() - 1);
        for (size_t step = 0; step < kNear && begins_[near] <= place; ++step, ++near) {
            if (near + 1 == begins_.size() || begins_[near + 1] > place) {
                return near_ = near;
            }
        }
        size_t low = 0;
        for (size_t count = begins_.size(); count > 1;) {
            const size_t half = count / 2;
            low += begins_[low + half] <= place ? half : 0;
            count -= half;
        }
        return near_ = low;
    }
    void Split(size_t at, uint32_t place) {
        if (cells_.size() == 1) {  // more calls of Split() are likely to follow
            begins_.reserve(kFewCells);
            cells_.reserve(kFewCells);
        }
        const Cell second = cells_[at];
        begins_.insert(begins_.begin() + static_cast<ptrdiff_t>(at) + 1, place);
        cells_.insert(cells_.begin() + static_cast<ptrdiff_t>(at) + 1, second);
    }

    static constexpr size_t kNear = 4;
    static constexpr size_t kFewCells = 16;

    std::vector<uint32_t> begins_;  ///< first byte of each cell; a cell ends where the next begins
    std::vector<Cell> cells_;
    mutable size_t near_ = 0;
};

/// A page of memory, divided into cells: ranges with one access history each. If all cells begin at
/// blocks of 32 B, a cell is stored at the index of its first block; a bit per block marks where
/// cells begin. After an access to a part of a block, `Pieces` stores the cells until one is left.
class Page {
public:
    static constexpr uint32_t kBytes = 8192;

    /// Cuts the cells at `begin` and `end`; calls look(cell, begin, end) for each cell between.
    template <typename Look>
    void Visit(uint32_t begin, uint32_t end, Look&& look) {
        if (__builtin_expect(pieces_ != nullptr || (begin | end) % kBlock != 0, 0)) {
            VisitPieces(begin, end, look);
            return;
        }
        uint32_t block = begin / kBlock;
        const uint32_t last = end / kBlock;
        Cut(block);
        Cut(last);
        while (block < last && block < kBlocks) {
            const uint32_t next = NextBegin(block + 1, last);
            look(*CellAt(block), block * kBlock, next * kBlock);
            block = next;
        }
    }
    /// Returns true if test(cell) is true for all cells that have bytes of [begin, end).
    template <typename Test>
    bool All(uint32_t begin, uint32_t end, Test&& test) const {
        if (pieces_ != nullptr) {
            return pieces_->All(begin, end, test);
        }
        if (room_ == nullptr) {
            return test(Cell());
        }
        const uint32_t last = (end + kBlock - 1) / kBlock;
        uint32_t block = begin / kBlock;
        const bool begins = (begins_[block / kWord] >> block % kWord & 1U) != 0;
        for (block = begins ? block : LastBegin(block); block < last;
             block = NextBegin(block + 1, last)) {
            if (!test(*CellAt(block))) {
                return false;
            }
        }
        return true;
    }
    /// Joins the cells in [begin, end), which must be equal. Visit() must have cut them.
    void Merge(uint32_t begin, uint32_t end) {
        if (pieces_ != nullptr) {
            pieces_->Merge(begin, end);
            if (pieces_->Cells() == 1) {
                FromPieces();
            }
            return;
        }
        for (uint32_t block = begin / kBlock + 1, last = end / kBlock; block < last;) {
            const uint32_t bit = block % kWord;
            const uint32_t count = std::min(kWord - bit, last - block);
            begins_[block / kWord] &= ~((UINT64_MAX >> (kWord - count)) << bit);
            block += count;
        }
    }
    size_t Cells() const {
        size_t count = pieces_ != nullptr ? pieces_->Cells() : 0;
        for (const uint64_t word : begins_) {
            count += pieces_ != nullptr ? 0 : static_cast<size_t>(__builtin_popcountll(word));
        }
        return count;
    }

private:
    static constexpr uint32_t kBlock = 32;
    static constexpr uint32_t kBlocks = kBytes / kBlock;
    static constexpr uint32_t kWord = 64;

    Cell* CellAt(uint32_t block) const { return reinterpret_cast<Cell*>(room_.get()) + block; }

    template <typename Look>
    [[gnu::noinline]] void VisitPieces(uint32_t begin, uint32_t end, Look& look) {
        ToPieces().Visit(begin, end, kBytes, look);
    }
    /// Makes a cell begin at this block; does nothing if the block is the page's end.
    void Cut(uint32_t block) {
        if (block < kBlocks && (begins_[block / kWord] >> block % kWord & 1U) == 0) {
            CutHere(block);
        }
    }
    [[gnu::noinline]] void CutHere(uint32_t block) {
        if (room_ == nullptr) {
            // The memory is not initialised, since most of it is never used.
            room_.reset(new unsigned char[kBlocks * sizeof(Cell)]);
            new (CellAt(0)) Cell();
            begins_[0] = 1;
        }
        if (block != 0) {
            new (CellAt(block)) Cell(*CellAt(LastBegin(block)));
            begins_[block / kWord] |= uint64_t{1} << block % kWord;
        }
    }
    /// Returns the last block before `block` at which a cell begins.
    uint32_t LastBegin(uint32_t block) const {
        uint32_t word = block / kWord;
        uint64_t bits = begins_[word] & ((uint64_t{1} << block % kWord) - 1);
        while (bits == 0) {  // the loop ends: a cell always begins at block 0
            bits = begins_[--word];
        }
        return word * kWord + kWord - 1 - static_cast<uint32_t>(__builtin_clzll(bits));
    }
    /// Returns the first block in [block, last) where a cell begins; `last` if there is none.
    uint32_t NextBegin(uint32_t block, uint32_t last) const {
        for (uint32_t word = block / kWord; block < last; block = ++word * kWord) {
            const uint64_t bits = begins_[word] >> block % kWord;
            if (bits != 0) {
                return std::min(last, block + static_cast<uint32_t>(__builtin_ctzll(bits)));
            }
        }
        return last;
    }
    Pieces& ToPieces() {
        if (pieces_ == nullptr) {
            Cut(0);
            pieces_ = std::make_unique<Pieces>(*CellAt(0));
            for (uint32_t at = NextBegin(1, kBlocks); at < kBlocks;
                 at = NextBegin(at + 1, kBlocks)) {
                pieces_->Append(at * kBlock, *CellAt(at));
            }
        }
        return *pieces_;
    }
    void FromPieces() {
        *CellAt(0) = pieces_->First();
        std::fill(std::begin(begins_), std::end(begins_), uint64_t{0});
        begins_[0] = 1;
        pieces_.reset();
    }

    uint64_t begins_[kBlocks / kWord] = {};  ///< one bit per block: 1 if a cell begins at the block
    std::unique_ptr<unsigned char[]> room_;  ///< memory for one cell per block
    std::unique_ptr<Pieces> pieces_;         ///< all cells, if one began inside a block; or null
};

static_assert(std::is_trivially_destructible_v<Cell> && alignof(Cell) <= alignof(std::max_align_t));

/// The access history of a memory, in pages that are created when they are first accessed.
class Shadow {
public:
    /// Calls look(cell, begin, end) for all cells in [begin, end).
    template <typename Look>
    void Visit(uint64_t begin, uint64_t end, Look&& look) {
        Walk(begin, end, [&](Page& page, uint64_t base, uint32_t from, uint32_t to) {
            page.Visit(from, to, [&](Cell& cell, uint32_t first, uint32_t last) {
                look(cell, base + first, base + last);
            });
        });
    }
    /// Returns true if test(cell) is true for all cells that have bytes of [begin, end).
    template <typename Test>
    bool All(uint64_t begin, uint64_t end, Test&& test) {
        bool all = true;
        Walk(begin, end, [&](const Page& page, uint64_t, uint32_t from, uint32_t to) {
            all = all && page.All(from, to, test);
        });
        return all;
    }
    /// Does the same as Visit(), then joins the cells; `look` must make all of them equal.
    template <typename Look>
    void Overwrite(uint64_t begin, uint64_t end, Look&& look) {
        Walk(begin, end, [&](Page& page, uint64_t base, uint32_t from, uint32_t to) {
            page.Visit(from, to, [&](Cell& cell, uint32_t first, uint32_t last) {
                look(cell, base + first, base + last);
            });
            page.Merge(from, to);
        });
    }

private:
    template <typename Part>
    void Walk(uint64_t begin, uint64_t end, Part&& part) {
        while (begin < end) {
            const uint64_t number = begin / Page::kBytes;
            const uint64_t base = number * Page::kBytes;
            const uint64_t stop = std::min(end, base + Page::kBytes);
            part(PageAt(number), base, static_cast<uint32_t>(begin - base),
                 static_cast<uint32_t>(stop - base));
            begin = stop;
        }
    }
    Page& PageAt(uint64_t number) {
        if (number < kDirect) {
            if (number >= direct_.size()) {
                direct_.resize(number + 1);
            }
            return direct_[number];
        }
        if (number != lastNumber_) {
            lastNumber_ = number;
            last_ = &pages_[number];  // stays valid: the map never moves its nodes
        }
        return *last_;
    }

    static constexpr uint64_t kDirect = 64;  ///< number of pages of the largest local memory

    std::vector<Page> direct_;
    std::unordered_map<uint64_t, Page> pages_;
    uint64_t lastNumber_ = 0;  ///< number of the page to which last_ points
    Page* last_ = nullptr;
};

}  // namespace twin::hazard
