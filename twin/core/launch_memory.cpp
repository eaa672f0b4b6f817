// SPDX-License-Identifier: Apache-2.0
// The global memory that a launch may touch, and the device addresses that model its place.
#include <sys/mman.h>

#include <algorithm>
#include <new>

#include "core/launch_state.h"

namespace twin {
namespace {

// The host's allocator chooses another place for host memory in every run. Rules about lines and
// alignment therefore use modelled addresses: the allocations follow each other from here on, each
// with the alignment that aclrtMalloc guarantees.
constexpr uint64_t kDeviceBase = 0x120000000000;
constexpr uint64_t kDeviceAlignment = 512;

bool ByAddress(const GmRange& a, const GmRange& b) { return a.begin < b.begin; }

/// Finds the range of a sorted list that contains `address`.
GmRange* FindIn(std::vector<GmRange>& ranges, uintptr_t address) {
    const auto after =
        std::upper_bound(ranges.begin(), ranges.end(), address,
                         [](uintptr_t at, const GmRange& range) { return at < range.begin; });
    if (after == ranges.begin() || !std::prev(after)->Contains(address)) {
        return nullptr;
    }
    return &*std::prev(after);
}

}  // namespace

uintptr_t SystemWorkspace(uint64_t bytes) {
    // Mapped once, never given back; only pages that are used take memory.
    static void* const mapping = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED) {
        throw std::bad_alloc();
    }
    return reinterpret_cast<uintptr_t>(mapping);
}

void LaunchState::BuildGmRanges() {
    std::vector<GmRange> windows = spec.windows;
    windows.erase(std::remove_if(windows.begin(), windows.end(),
                                 [](const GmRange& w) { return w.bytes == 0; }),
                  windows.end());
    std::sort(windows.begin(), windows.end(), ByAddress);
    // Tensors that share memory become one window: a pointer does not say which of them is meant.
    for (const GmRange& window : windows) {
        if (!gm.empty() && window.begin < gm.back().End()) {
            GmRange& last = gm.back();
            last.bytes = std::max(last.End(), window.End()) - last.begin;
            last.readOnly = last.readOnly && window.readOnly;
            last.takenFor = window.takenFor == nullptr ? nullptr : last.takenFor;
            last.label += " + " + window.label;
        } else {
            gm.push_back(window);
        }
    }
    const std::vector<GmRange> exact = gm;
    std::vector<GmRange> allocations = GmRegistry::Instance().Snapshot();
    for (GmRange range : allocations) {
        // The memory around a window in the same allocation can still be reached by pointers of its
        // own.
        for (const GmRange& window : exact) {
            if (window.End() <= range.begin || window.begin >= range.End()) {
                continue;
            }
            const uintptr_t end = range.End();
            if (window.begin > range.begin) {
                GmRange before = range;
                before.bytes = window.begin - range.begin;
                gm.push_back(std::move(before));
            }
            range.begin = std::min(end, window.End());
            range.bytes = end - range.begin;
        }
        if (range.bytes != 0) {
            gm.push_back(std::move(range));
        }
    }
    GmRange system;
    system.begin = SystemWorkspace(soc.systemWorkspaceBytes);
    system.bytes = soc.systemWorkspaceBytes;
    system.label = "system workspace";
    gm.push_back(system);
    std::sort(gm.begin(), gm.end(), ByAddress);
    for (const GmRange& window : exact) {
        if (FindIn(allocations, window.begin) == nullptr) {
            allocations.insert(
                std::upper_bound(allocations.begin(), allocations.end(), window, ByAddress),
                window);
        }
    }
    AssignDeviceAddresses(std::move(allocations), system);
}

void LaunchState::AssignDeviceAddresses(std::vector<GmRange> allocations, GmRange system) {
    uint64_t next = kDeviceBase;
    const auto place = [&next](GmRange& range) {
        if (range.device == 0) {
            range.device = next;
            next = (next + range.bytes + kDeviceAlignment - 1) & ~(kDeviceAlignment - 1);
        }
    };
    for (void* argument : spec.args) {
        if (GmRange* range = FindIn(allocations, reinterpret_cast<uintptr_t>(argument))) {
            place(*range);
        }
    }
    place(system);
    std::vector<GmRange*> others;
    others.reserve(allocations.size());
    for (GmRange& range : allocations) {
        others.push_back(&range);
    }
    std::stable_sort(others.begin(), others.end(),
                     [](const GmRange* a, const GmRange* b) { return a->order < b->order; });
    for (GmRange* range : others) {
        place(*range);
    }
    for (GmRange& range : gm) {
        const GmRange* home = FindIn(allocations, range.begin);
        home = home == nullptr ? &system : home;
        range.device = home->device + (range.begin - home->begin);
    }
}

uint64_t LaunchState::DeviceAddress(uintptr_t address) const {
    const GmRange* nearest = NearestRange(address);
    return nearest->device + (address - nearest->begin);
}

const GmRange* LaunchState::NearestRange(uintptr_t address) const {
    const auto after =
        std::upper_bound(gm.begin(), gm.end(), address,
                         [](uintptr_t at, const GmRange& range) { return at < range.begin; });
    if (after == gm.begin()) {
        return &*after;
    }
    const auto before = std::prev(after);
    const bool behind = after == gm.end() || before->Contains(address) ||
                        address - before->End() <= after->begin - address;
    return behind ? &*before : &*after;
}

}  // namespace twin
