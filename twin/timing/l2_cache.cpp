// SPDX-License-Identifier: Apache-2.0
#include "timing/l2_cache.h"

#include <algorithm>

namespace twin::timing {
namespace {

constexpr uint32_t kAll = (1U << (kLineBytes / kGranuleBytes)) - 1;

}  // namespace

L2Cache::L2Cache(uint64_t bytes) : sets_(bytes / kLineBytes / kWays) {}

L2Cache::Granules* L2Cache::Front(Set& set, uint32_t way, uint32_t line, Granules held) {
    std::copy_backward(set.line, set.line + way, set.line + way + 1);
    std::copy_backward(set.held, set.held + way, set.held + way + 1);
    set.line[0] = line;
    set.held[0] = held;
    return set.held;
}

L2Cache::Granules* L2Cache::Find(Set& set, uint32_t line) {
    uint32_t found = kWays;
    for (uint32_t way = 0; way < kWays; ++way) {
        found = set.line[way] == line ? way : found;
    }
    if (found == kWays) {
        return nullptr;
    }
    return found == 0 ? set.held : Front(set, found, line, set.held[found]);
}

L2Cache::Granules* L2Cache::Replace(Set& set, uint32_t line, Found* found) {
    found->evicted = set.held[kWays - 1].dirty;
    return Front(set, kWays - 1, line, {});
}

L2Cache::Found L2Cache::Read(uint64_t address, uint32_t granules, bool allocate) {
    Found found;
    const uint32_t line = Line(address);
    Set& set = SetOf(line);
    Granules* held = Find(set, line);
    if (held == nullptr && allocate) {
        held = Replace(set, line, &found);
    }
    if (held != nullptr) {
        found.hits = held->valid & granules;
        held->valid = static_cast<uint8_t>((held->valid | granules) & kAll);
    }
    return found;
}

L2Cache::Found L2Cache::Write(uint64_t address, uint32_t granules) {
    Found found;
    const uint32_t line = Line(address);
    Set& set = SetOf(line);
    Granules* held = Find(set, line);
    if (held == nullptr) {
        held = Replace(set, line, &found);
    }
    held->valid = static_cast<uint8_t>((held->valid | granules) & kAll);
    held->dirty = static_cast<uint8_t>((held->dirty | granules) & kAll);
    return found;
}

}  // namespace twin::timing
