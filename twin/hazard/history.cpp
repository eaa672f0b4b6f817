// SPDX-License-Identifier: Apache-2.0
#include "hazard/history.h"

namespace twin::hazard {
namespace {

// Numbers of a block of a store: the first one, and the largest one, of which each is a part.
constexpr size_t kFirstBlock = 2048;
constexpr size_t kLargestBlock = 65536;

}  // namespace

uint32_t* NumberedBytes::Store::Take(uint32_t shift) {
    std::vector<uint32_t*>& left = left_[shift];
    if (!left.empty()) {
        uint32_t* const numbers = left.back();
        left.pop_back();
        return numbers;
    }
    const size_t wanted = size_t{1} << (kPageShift - shift);
    if (free_ < wanted) {
        size_ = std::max(wanted, size_ == 0 ? kFirstBlock : std::min(2 * size_, kLargestBlock));
        blocks_.emplace_back(new uint32_t[size_]);
        free_ = size_;
    }
    free_ -= wanted;
    return blocks_.back().get() + free_;
}

void NumberedBytes::Refine(Page& page, uint32_t begin, uint32_t end) {
    const auto even = static_cast<uint32_t>(__builtin_ctz(begin | end));
    const uint32_t shift = std::min(even, kCoarsest);
    if (page.shift <= shift) {
        return;
    }
    const uint32_t parts = 1U << (kPageShift - shift);
    uint32_t* const numbers = store_.Take(shift);
    for (uint32_t i = 0; i < parts; ++i) {
        numbers[i] = page.At(i << shift);
    }
    if (page.numbers != nullptr) {
        store_.Leave(page.numbers, page.shift);
    }
    page.numbers = numbers;
    page.shift = shift;
}

uint64_t NumberedBytes::EndOfRun(uint64_t begin, uint64_t end) {
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

}  // namespace twin::hazard
