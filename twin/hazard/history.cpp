// SPDX-License-Identifier: Apache-2.0
#include "hazard/history.h"

namespace twin::hazard {

void NumberedBytes::Refine(Page& page, uint32_t begin, uint32_t end) {
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
