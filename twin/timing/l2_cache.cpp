// SPDX-License-Identifier: Apache-2.0
#include "timing/l2_cache.h"

namespace twin::timing {
namespace {

constexpr uint32_t kAll = (1U << (kLineBytes / kGranuleBytes)) - 1;

}  // namespace

L2Cache::L2Cache(uint64_t bytes) : sets_(bytes / kLineBytes / kWays) {}

uint32_t L2Cache::Find(const Set& set, uint32_t line) {
    const uint32_t latest = set.order & 0xF;
    if (set.line[latest] == line) {
        return latest;
    }
    uint32_t found = kNone;
    for (uint32_t way = 0; way < kWays; ++way) {
        found = set.line[way] == line ? way : found;
    }
    return found;
}

void L2Cache::Use(Set& set, uint32_t way) {
    constexpr uint32_t kOnes = 0x11111111, kTops = 0x88888888;
    const uint32_t other = set.order ^ way * kOnes;  // 0 in the four bits of `way`
    const uint32_t bit = (other - kOnes) & ~other & kTops;
    const uint32_t later = ((bit & (~bit + 1)) >> 3) - 1;  // the bits below those
    set.order = (set.order & ~(later << 4 | 0xF)) | (set.order & later) << 4 | way;
}

uint32_t L2Cache::Replace(Set& set, uint32_t line, Found* found) {
    const uint32_t way = set.order >> 28;
    found->evicted = set.held[way].dirty;
    found->evictedFrom = AddressOf(set.line[way]);
    set.line[way] = line;
    set.held[way] = {};
    return way;
}

L2Cache::Found L2Cache::Read(uint64_t address, uint32_t granules, bool allocate) {
    Found found;
    const uint32_t line = Line(address);
    Set& set = sets_[PlaceOf(line)];
    uint32_t way = Find(set, line);
    if (way == kNone) {
        if (!allocate) {
            return found;
        }
        way = Replace(set, line, &found);
    }
    Use(set, way);
    Granules& held = set.held[way];
    found.hits = held.valid & granules;
    held.valid = static_cast<uint8_t>((held.valid | granules) & kAll);
    return found;
}

L2Cache::Found L2Cache::Write(uint64_t address, uint32_t granules) {
    Found found;
    const uint32_t line = Line(address);
    Set& set = sets_[PlaceOf(line)];
    uint32_t way = Find(set, line);
    way = way == kNone ? Replace(set, line, &found) : way;
    Use(set, way);
    Granules& held = set.held[way];
    held.valid = static_cast<uint8_t>((held.valid | granules) & kAll);
    held.dirty = static_cast<uint8_t>((held.dirty | granules) & kAll);
    return found;
}

}  // namespace twin::timing
