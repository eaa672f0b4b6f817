// SPDX-License-Identifier: Apache-2.0
#include "core/gm.h"

#include <algorithm>
#include <cctype>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <vector>

#include "core/core_state.h"
#include "core/memory_map.h"

namespace twin {

bool IsWorkspace(std::string name) {
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char letter) { return std::tolower(letter); });
    const std::string last = name.substr(name.rfind(' ') + 1);
    return name.find("workspace") != std::string::npos || last == "ws";
}

void FillWorkspace(void* workspace, uint64_t bytes) { FillWords(workspace, bytes, kWorkspaceFill); }

void FillWords(void* begin, uint64_t bytes, uint32_t word) {
    uint32_t pattern[1024];
    std::fill(std::begin(pattern), std::end(pattern), word);
    auto* to = static_cast<uint8_t*>(begin);
    while (bytes > 0) {
        const uint64_t step = std::min<uint64_t>(bytes, sizeof(pattern));
        std::memcpy(to, pattern, step);
        to += step;
        bytes -= step;
    }
}

GmRegistry& GmRegistry::Instance() {
    // Never destroyed: streams and user threads may still use it while the process exits.
    static GmRegistry* const registry = new GmRegistry;
    return *registry;
}

bool GmRegistry::Add(const GmRange& range) {
    if (range.bytes == 0 || range.begin == 0 || range.begin + range.bytes < range.begin) {
        return false;
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto next = ranges_.lower_bound(range.begin);
    if (next != ranges_.end() && next->first < range.End()) {
        return false;
    }
    if (next != ranges_.begin() && std::prev(next)->second.End() > range.begin) {
        return false;
    }
    ranges_.emplace_hint(next, range.begin, range)->second.order = ++registered_;
    return true;
}

bool GmRegistry::Remove(uintptr_t begin) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return ranges_.erase(begin) == 1;
}

bool GmRegistry::Find(uintptr_t address, GmRange* range) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    auto after = ranges_.upper_bound(address);
    if (after == ranges_.begin() || !std::prev(after)->second.Contains(address)) {
        return false;
    }
    if (range != nullptr) {
        *range = std::prev(after)->second;
    }
    return true;
}

void GmRegistry::ForEach(const std::function<void(const GmRange&)>& look) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& entry : ranges_) {
        look(entry.second);
    }
}

std::vector<GmRange> GmRegistry::Snapshot() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<GmRange> all;
    all.reserve(ranges_.size());
    for (const auto& entry : ranges_) {
        all.push_back(entry.second);
    }
    return all;
}

namespace {

constexpr uint64_t kCells = 48;
constexpr size_t kMostNames = 4;

/// Returns the character that stands for a queue or buffer; a TPipe has at most 64 of them.
char Letter(int16_t queue) {
    return "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ@$"[static_cast<uint16_t>(
                                                                                  queue) %
                                                                              64];
}

/// The part of a memory that an error message draws, divided into cells of about the same size.
struct Window {
    uint64_t begin;
    uint64_t end;

    uint64_t Cells() const { return std::min(kCells, end - begin); }
    uint64_t BeginOf(uint64_t cell) const { return begin + (end - begin) * cell / Cells(); }
    uint64_t EndOf(uint64_t cell) const { return BeginOf(cell + 1); }
};

/// Returns the part to draw: the bytes around the access. If the access goes beyond the end of the
/// memory, returns the whole memory and bytes behind the memory: at most size / 4.
Window Choose(uint64_t size, uint64_t begin, uint64_t bytes) {
    if (begin + bytes > size) {
        return Window{0, std::max(size + 1, std::min(begin + bytes, size + size / 4))};
    }
    const uint64_t margin = std::max<uint64_t>(bytes / 4, kBlockBytes);
    return Window{begin - std::min(begin, margin), std::min(size, begin + bytes + margin)};
}

const BufferRecord* OwnerOf(const Core& core, Memory memory, uint64_t begin, uint64_t end) {
    if (const BufferRecord* middle = core.FindBuffer(memory, begin + (end - begin) / 2)) {
        return middle;
    }
    for (const BufferRecord& buffer : core.state->buffers) {
        if (buffer.memory == memory && buffer.begin < end &&
            begin < uint64_t{buffer.begin} + buffer.bytes) {
            return &buffer;
        }
    }
    return nullptr;
}

std::string Names(const std::vector<const BufferRecord*>& owners) {
    std::string text;
    for (size_t i = 0; i < owners.size() && i < kMostNames; ++i) {
        const int16_t queue = owners[i]->queue;
        text += std::string(", ") + Letter(queue) + " " + owners[i]->kind;
        text += queue > 9 ? " #" + std::to_string(queue) : "";
    }
    return text + (owners.size() > kMostNames ? ", ..." : "") + ", . free";
}

}  // namespace

Drawing DrawAccess(const Core& core, Memory memory, uint64_t begin, uint64_t bytes, uint64_t good) {
    const uint64_t size = core.memoryBytes[static_cast<size_t>(memory)];
    bytes = std::max<uint64_t>(std::min(bytes, UINT64_MAX / kCells - begin), 1);
    const Window window = Choose(size, begin, bytes);
    std::string owners;
    std::string access;
    std::vector<const BufferRecord*> known;
    for (uint64_t cell = 0; cell < window.Cells(); ++cell) {
        const uint64_t low = window.BeginOf(cell);
        const uint64_t high = window.EndOf(cell);
        if (low < size) {
            const BufferRecord* owner = OwnerOf(core, memory, low, std::min(high, size));
            owners += owner == nullptr ? '.' : Letter(owner->queue);
            const bool isNew =
                owner != nullptr && std::none_of(known.begin(), known.end(), [&](const auto* each) {
                    return each->queue == owner->queue;
                });
            if (isNew) {
                known.push_back(owner);
            }
        }
        const bool beyond = begin >= window.end && cell + 1 == window.Cells();
        const bool inside = low < begin + bytes && begin < high;
        const bool last = high >= begin + bytes;
        const bool wrong =
            good < bytes && (good == 0 || last || (high > begin + good && low > begin));
        access += beyond ? '>' : inside ? (wrong ? '!' : '=') : ' ';
    }
    access.erase(access.find_last_not_of(' ') + 1);
    Drawing drawing;
    const char* const name = Name(memory);
    std::snprintf(drawing.text, sizeof(drawing.text),
                  "\n  %s |%s| 0x%" PRIx64 " to 0x%" PRIx64 "%s\n  %*s |%s", name, owners.c_str(),
                  window.begin, std::min(window.end, size), Names(known).c_str(),
                  static_cast<int>(std::strlen(name)), "", access.c_str());
    return drawing;
}

}  // namespace twin
