// SPDX-License-Identifier: Apache-2.0
#include "core/data_cache.h"

#include <algorithm>
#include <cstring>

#include "core/core.h"
#include "core/launch_state.h"

namespace twin {
namespace {

uintptr_t LineOf(uintptr_t address) { return address & ~uintptr_t{DataCache::kLineBytes - 1}; }

uint64_t Bits(uint64_t first, uint64_t count) {
    return count >= 64 ? UINT64_MAX : ((uint64_t{1} << count) - 1) << first;
}

}  // namespace

DataCache::Line* DataCache::Find(uintptr_t address) const {
    if (lines_ == nullptr) {
        return nullptr;
    }
    const uintptr_t begin = LineOf(address);
    Line* set = &lines_[begin / kLineBytes % kSets * kWays];
    for (uint32_t way = 0; way < kWays; ++way) {
        if (set[way].begin == begin) {
            return &set[way];
        }
    }
    return nullptr;
}

void DataCache::Load(Line& line, const GmRange& range, uintptr_t begin) {
    line.begin = begin;
    line.dirty = 0;
    line.first = static_cast<uint8_t>(begin >= range.begin ? 0 : range.begin - begin);
    line.last = static_cast<uint8_t>(std::min<uintptr_t>(kLineBytes, range.End() - begin));
    std::memcpy(line.data + line.first, reinterpret_cast<const void*>(begin + line.first),
                line.last - line.first);
    std::memcpy(line.loaded, line.data, kLineBytes);
}

DataCache::Line& DataCache::Fetch(const GmRange& range, uintptr_t address) {
    if (lines_ == nullptr) {
        lines_ = std::make_unique<Line[]>(static_cast<size_t>(kSets) * kWays);
    }
    Line* line = Find(address);
    if (line == nullptr) {
        Line* set = &lines_[LineOf(address) / kLineBytes % kSets * kWays];
        line = std::min_element(set, set + kWays,
                                [](const Line& a, const Line& b) { return a.used < b.used; });
        WriteBack(*line);
        Load(*line, range, LineOf(address));
    }
    line->used = ++clock_;
    return *line;
}

const uint8_t* DataCache::Read(const GmRange& range, uintptr_t address, uint64_t bytes) {
    const Line& line = Fetch(range, address);
    const uint64_t offset = address - line.begin;
    const auto* memory = reinterpret_cast<const uint8_t*>(address);
    if (core_.strict && (line.dirty & Bits(offset, bytes)) == 0 &&
        std::memcmp(line.data + offset, memory, bytes) != 0) {
        Fail("T312",
             "stale scalar read: GetValue of %llu B at %s finds an old value in the scalar data "
             "cache; a copy or another"
             " core has changed the memory since the line came in\n  try: DataCacheCleanAndInvalid "
             "before the read",
             static_cast<unsigned long long>(bytes), core_.DescribeGm(address).c_str());
    }
    return line.data + offset;
}

void DataCache::Write(const GmRange& range, uintptr_t address, const void* value, uint64_t bytes) {
    Line& line = Fetch(range, address);
    const uint64_t offset = address - line.begin;
    if (line.dirty == 0) {
        ++dirtyLines_;
        core_.launch->ClaimScalarLine(core_, line.begin);
    }
    line.dirty |= Bits(offset, bytes);
    std::memcpy(line.data + offset, value, bytes);
}

void DataCache::WriteBack(Line& line) {
    if (line.begin == 0 || line.dirty == 0) {
        return;
    }
    auto* memory = reinterpret_cast<uint8_t*>(line.begin);
    for (uint32_t i = line.first; i < line.last && core_.strict; ++i) {
        if ((line.dirty >> i & 1U) == 0 && memory[i] != line.loaded[i]) {
            Fail("T313",
                 "lost update: writing back the 64 B line at %s would overwrite byte %u, which a "
                 "copy or another core has"
                 " changed since the line came in\n  try: keep what several writers touch 64 B "
                 "apart",
                 core_.DescribeGm(line.begin + line.first).c_str(), i);
        }
    }
    std::memcpy(memory + line.first, line.data + line.first, line.last - line.first);
    line.dirty = 0;
    --dirtyLines_;
}

void DataCache::CleanAndInvalidate(uintptr_t address) {
    if (Line* line = Find(address)) {
        WriteBack(*line);
        line->begin = 0;
        line->used = 0;
    }
}

void DataCache::CleanAndInvalidateAll() {
    for (uint32_t i = 0; lines_ != nullptr && i < kSets * kWays; ++i) {
        WriteBack(lines_[i]);
        lines_[i].begin = 0;
        lines_[i].used = 0;
    }
}

uintptr_t DataCache::FindDirty(uintptr_t address, uint64_t bytes) const {
    if (dirtyLines_ == 0) {
        return 0;
    }
    for (uint32_t i = 0; i < kSets * kWays; ++i) {
        const Line& line = lines_[i];
        if (line.dirty == 0 || address >= line.begin + kLineBytes ||
            line.begin >= address + bytes) {
            continue;
        }
        for (uint64_t byte = 0; byte < kLineBytes; ++byte) {
            const uintptr_t place = line.begin + byte;
            if ((line.dirty >> byte & 1U) != 0 && place >= address && place < address + bytes) {
                return place;
            }
        }
    }
    return 0;
}

uintptr_t DataCache::FirstDirty() const {
    for (uint32_t i = 0; dirtyLines_ != 0 && i < kSets * kWays; ++i) {
        if (lines_[i].dirty != 0) {
            return lines_[i].begin + static_cast<uint32_t>(__builtin_ctzll(lines_[i].dirty));
        }
    }
    return 0;
}

}  // namespace twin
