// SPDX-License-Identifier: Apache-2.0
#include "core/data_cache.h"

#include <algorithm>
#include <cstring>

#include "core/core_state.h"
#include "core/launch_state.h"

namespace twin {
namespace {

uint64_t LineOf(uint64_t device) { return device & ~uint64_t{DataCache::kLineBytes - 1}; }

uint64_t Bits(uint64_t first, uint64_t count) {
    return count >= 64 ? UINT64_MAX : ((uint64_t{1} << count) - 1) << first;
}

}  // namespace

void DataCache::Load(Line& line, const GmRange& range, uintptr_t address) {
    // The line also gets the bytes of neighbouring ranges in the same allocation, but only if these
    // ranges and `range` are all writable or all read-only.
    const std::vector<GmRange>& gm = core_.launch->gm;
    const GmRange* low = &range;
    const GmRange* high = &range;
    while (low != gm.data() && low[-1].Meets(*low) && low[-1].readOnly == range.readOnly) {
        --low;
    }
    while (high != &gm.back() && high->Meets(high[1]) && high[1].readOnly == range.readOnly) {
        ++high;
    }
    const uint64_t device = range.device + (address - range.begin);
    line.begin = LineOf(device);
    line.memory = reinterpret_cast<uint8_t*>(address - (device - line.begin));
    line.readOnly = range.readOnly;
    line.dirty = 0;
    line.first = static_cast<uint8_t>(low->device > line.begin ? low->device - line.begin : 0);
    line.last = static_cast<uint8_t>(
        std::min<uint64_t>(kLineBytes, high->device + high->bytes - line.begin));
    std::memcpy(line.data + line.first, line.memory + line.first, line.last - line.first);
    std::memcpy(line.loaded, line.data, kLineBytes);
}

DataCache::Line& DataCache::Fetch(const GmRange& range, uintptr_t address, bool* cameIn) {
    if (lines_ == nullptr) {
        lines_ = std::make_unique<Line[]>(static_cast<size_t>(kSets) * kWays);
    }
    const uint64_t begin = LineOf(range.device + (address - range.begin));
    Line* const set = SetOf(begin);
    Line* line = std::find_if(set, set + kWays, [begin, &range](const Line& candidate) {
        return candidate.begin == begin && candidate.readOnly == range.readOnly;
    });
    if (line == set + kWays) {
        line = std::min_element(set, set + kWays,
                                [](const Line& a, const Line& b) { return a.used < b.used; });
        WriteBack(*line);
        Load(*line, range, address);
        if (cameIn != nullptr) {
            *cameIn = true;
        }
    }
    line->used = ++clock_;
    return *line;
}

const uint8_t* DataCache::Read(const GmRange& range, uintptr_t address, uint64_t bytes) {
    bool cameIn = false;
    const Line& line = Fetch(range, address, &cameIn);
    const auto* memory = reinterpret_cast<const uint8_t*>(address);
    const auto offset = static_cast<uint64_t>(memory - line.memory);
    // A line that was just loaded is not stale, whatever another core writes meanwhile.
    if (core_.strict && !core_.judged && !cameIn && (line.dirty & Bits(offset, bytes)) == 0 &&
        std::memcmp(line.data + offset, memory, bytes) != 0) {
        Fail("T312",
             "stale scalar read: GetValue of %llu B at %s finds an old value in the scalar data "
             "cache; a copy or another"
             " core has changed the memory since the line came in\n  try: DataCacheCleanAndInvalid "
             "before the read",
             static_cast<unsigned long long>(bytes), DescribeGm(core_, address).c_str());
    }
    return line.data + offset;
}

void DataCache::Write(const GmRange& range, uintptr_t address, const void* value, uint64_t bytes) {
    Line& line = Fetch(range, address);
    const uint64_t offset = address - reinterpret_cast<uintptr_t>(line.memory);
    if (line.dirty == 0) {
        ++dirtyLines_;
        core_.launch->ClaimScalarLine(core_, line.begin,
                                      reinterpret_cast<uintptr_t>(line.memory) + line.first);
    }
    line.dirty |= Bits(offset, bytes);
    fresh_ = true;
    std::memcpy(line.data + offset, value, bytes);
}

void DataCache::WriteBack(Line& line) {
    if (line.begin == 0 || line.dirty == 0) {
        return;
    }
    uint8_t* const memory = line.memory;
    for (uint32_t i = line.first; i < line.last && core_.strict && !core_.judged; ++i) {
        if ((line.dirty >> i & 1U) == 0 && memory[i] != line.loaded[i]) {
            Fail("T313",
                 "lost update: writing back the 64 B line at %s would overwrite byte %u, which a "
                 "copy or another core has"
                 " changed since the line came in\n  try: keep what several writers touch 64 B "
                 "apart",
                 DescribeGm(core_, reinterpret_cast<uintptr_t>(memory + line.first)).c_str(), i);
        }
    }
    std::memcpy(memory + line.first, line.data + line.first, line.last - line.first);
    line.dirty = 0;
    line.held = 0;
    --dirtyLines_;
}

void DataCache::Drop(Line& line) {
    WriteBack(line);
    line.begin = 0;
    line.used = 0;
}

void DataCache::CleanAndInvalidate(uintptr_t address) {
    const GmRange* range = lines_ == nullptr ? nullptr : core_.FindRange(address);
    if (range == nullptr) {
        return;
    }
    const uint64_t begin = LineOf(range->device + (address - range->begin));
    Line* const set = SetOf(begin);
    for (uint32_t way = 0; way < kWays; ++way) {
        if (set[way].begin == begin) {
            Drop(set[way]);
        }
    }
    NoteRelease();
}

void DataCache::CleanAndInvalidateAll() {
    for (uint32_t i = 0; lines_ != nullptr && i < kSets * kWays; ++i) {
        Drop(lines_[i]);
    }
}

uintptr_t DataCache::FindDirty(uintptr_t address, uint64_t bytes) const {
    if (dirtyLines_ == 0) {
        return 0;
    }
    for (uint32_t i = 0; i < kSets * kWays; ++i) {
        const Line& line = lines_[i];
        const auto memory = reinterpret_cast<uintptr_t>(line.memory);
        if (line.dirty == 0 || address >= memory + kLineBytes || memory >= address + bytes) {
            continue;
        }
        for (uint64_t byte = 0; byte < kLineBytes; ++byte) {
            const uintptr_t place = memory + byte;
            if ((line.dirty >> byte & 1U) != 0 && place >= address && place < address + bytes) {
                return place;
            }
        }
    }
    return 0;
}

void DataCache::NoteRelease() {
    for (uint32_t i = 0; fresh_ && dirtyLines_ != 0 && i < kSets * kWays; ++i) {
        lines_[i].held = lines_[i].dirty;
    }
    fresh_ = false;
}

uintptr_t DataCache::FirstHeld() const {
    for (uint32_t i = 0; dirtyLines_ != 0 && i < kSets * kWays; ++i) {
        if (lines_[i].held != 0) {
            return reinterpret_cast<uintptr_t>(lines_[i].memory) +
                   static_cast<uint32_t>(__builtin_ctzll(lines_[i].held));
        }
    }
    return 0;
}

}  // namespace twin
