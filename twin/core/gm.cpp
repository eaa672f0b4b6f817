// SPDX-License-Identifier: Apache-2.0
#include "core/gm.h"

namespace twin {

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

}  // namespace twin
