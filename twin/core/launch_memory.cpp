// SPDX-License-Identifier: Apache-2.0
// The ranges of global memory that a launch may access, their modelled device addresses, and the
// order of the cores' accesses.
#include <sys/mman.h>

#include <algorithm>
#include <new>

#include "core/core_output.h"
#include "core/core_state.h"
#include "core/launch_state.h"

namespace twin {
namespace {

// Host addresses differ from run to run. Rules about cache lines and alignment therefore use
// modelled device addresses: from kDeviceBase on, the allocations follow each other, each with the
// alignment that aclrtMalloc guarantees.
constexpr uint64_t kDeviceBase = 0x120000000000;
constexpr uint64_t kDeviceAlignment = 512;

bool ByAddress(const GmRange& a, const GmRange& b) { return a.begin < b.begin; }

/// Returns the range of a sorted list that contains `address`; nullptr if there is none.
GmRange* FindIn(std::vector<GmRange>& ranges, uintptr_t address) {
    const auto after =
        std::upper_bound(ranges.begin(), ranges.end(), address,
                         [](uintptr_t at, const GmRange& range) { return at < range.begin; });
    if (after == ranges.begin() || !std::prev(after)->Contains(address)) {
        return nullptr;
    }
    return &*std::prev(after);
}

bool SameElements(const GmRange& a, const GmRange& b) {
    return a.array != nullptr && b.array != nullptr && a.array->dtype == b.array->dtype;
}

// LogIsFull uses these limits: bytes in one core's log of atomic copies, and in all logs together.
constexpr uint64_t kMostLogBytes = 16ULL << 20;
constexpr uint64_t kMostPendingBytes = 1ULL << 30;

}  // namespace

uintptr_t SystemWorkspace(uint64_t bytes) {
    // The memory is mapped once and never unmapped. Only pages that are used need host memory.
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
    // Tensors that share memory become one window, because a pointer may belong to any of them.
    for (const GmRange& window : windows) {
        if (!gm.empty() && window.begin < gm.back().End()) {
            GmRange& last = gm.back();
            last.bytes = std::max(last.End(), window.End()) - last.begin;
            last.readOnly = last.readOnly && window.readOnly;
            last.array = SameElements(last, window) ? last.array : nullptr;
            last.undefined = last.undefined && window.undefined;
            last.label += " + " + window.label;
        } else {
            gm.push_back(window);
        }
    }
    const std::vector<GmRange> exact = gm;
    std::vector<GmRange> allocations = GmRegistry::Instance().Snapshot();
    for (GmRange range : allocations) {
        // A window (the exact range of a tensor, the workspace or the tiling data) may cover only a
        // part of an allocation. The other parts remain accessible, as ranges of their own.
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

uint32_t LaunchState::OtherAdder(const Core& core, uintptr_t address, uint64_t bytes) const {
    uint32_t other = UINT32_MAX;
    for (const Task* task : live) {
        if (&task->core != &core && task->core.state->atomics.OverlapsUnpublished(address, bytes)) {
            other = std::min(other, task->core.coreIdx);
        }
    }
    for (const auto& ended : endedAtomics_) {
        if (ended.first < other && ended.second.OverlapsUnpublished(address, bytes)) {
            other = ended.first;
        }
    }
    return other == UINT32_MAX ? core.coreIdx : other;
}

uint32_t LaunchState::OtherReader(const Core& core, uintptr_t address, uint64_t bytes) const {
    uint32_t other = UINT32_MAX;
    for (const AtomicRead& read : atomicReads_) {
        if (read.coreIdx != core.coreIdx && address < read.address + read.bytes &&
            read.address < address + bytes) {
            other = std::min(other, read.coreIdx);
        }
    }
    return other == UINT32_MAX ? core.coreIdx : other;
}

bool LaunchState::ApplyPublished(Core& core, uintptr_t address, uint64_t bytes) {
    std::vector<std::pair<uint32_t, AtomicLog*>> logs;
    for (Task* task : live) {
        logs.emplace_back(task->core.coreIdx, &task->core.state->atomics);
    }
    for (auto& ended : endedAtomics_) {
        logs.emplace_back(ended.first, &ended.second);
    }
    std::sort(logs.begin(), logs.end());
    MemoryFault fault;
    return Contained(
        [&] {
            for (const auto& log : logs) {
                log.second->ApplyTo(address, bytes, log.second != &core.state->atomics);
            }
        },
        &fault);
}

void LaunchState::NoteAtomicRead(const Core& core, uintptr_t address, uint64_t bytes) {
    atomicReads_.push_back(AtomicRead{core.coreIdx, address, bytes});
}

void LaunchState::ForgetAtomicReads(const Core& core) {
    atomicReads_.erase(
        std::remove_if(atomicReads_.begin(), atomicReads_.end(),
                       [&core](const AtomicRead& read) { return read.coreIdx == core.coreIdx; }),
        atomicReads_.end());
}

void LaunchState::NoteAtomics(uintptr_t address, uint64_t bytes) {
    atomicsLow.store(std::min(atomicsLow.load(std::memory_order_relaxed), address),
                     std::memory_order_relaxed);
    atomicsHigh.store(
        std::max<uintptr_t>(atomicsHigh.load(std::memory_order_relaxed), address + bytes),
        std::memory_order_relaxed);
}

void LaunchState::KeepAtomics(Core& core) {
    if (!core.state->atomics.Empty()) {
        endedAtomics_[core.coreIdx] = std::move(core.state->atomics);
        core.state->atomics = AtomicLog();
    }
}

void LaunchState::PutIntoMemory(uint32_t coreIdx, AtomicLog& log) {
    pendingAtomicBytes_ -= std::min(pendingAtomicBytes_, log.PendingBytes());
    MemoryFault fault;
    if (!Contained([&log] { log.Apply(); }, &fault)) {
        Failure failure;
        failure.coreIdx = coreIdx;
        failure.kind = shape.KindOf(coreIdx);
        failure.text = Describe(fault, "an atomic copy");
        failures.push_back(std::move(failure));
    }
    log.DropPending();
}

void LaunchState::ApplyAtomicsUpTo(uint32_t coreIdx) {
    std::map<uint32_t, AtomicLog*> logs;
    for (auto& ended : endedAtomics_) {
        logs[ended.first] = &ended.second;
    }
    for (Task* task : live) {
        logs[task->core.coreIdx] = &task->core.state->atomics;
    }
    for (const auto& log : logs) {
        if (log.first <= coreIdx) {
            PutIntoMemory(log.first, *log.second);
        }
    }
}

void LaunchState::ApplyAtomics() {
    for (Task* task : live) {
        task->core.atFullBarrier = false;
    }
    if (!MayHoldAtomics(0, UINTPTR_MAX)) {
        return;
    }
    ApplyAtomicsUpTo(UINT32_MAX);
    for (Task* task : live) {
        task->core.state->atomics = AtomicLog();
    }
    endedAtomics_.clear();
    atomicReads_.clear();
    atomicsLow.store(UINTPTR_MAX, std::memory_order_relaxed);
    atomicsHigh.store(0, std::memory_order_relaxed);
}

bool LaunchState::LogIsFull(Core& core, uint64_t added) {
    pendingAtomicBytes_ += added;
    if (core.state->atomics.PendingBytes() < kMostLogBytes &&
        pendingAtomicBytes_ < kMostPendingBytes) {
        return false;
    }
    if (core.coreIdx != firstOpen) {
        return true;
    }
    PutIntoMemory(core.coreIdx, core.state->atomics);  // all lower cores have ended
    return false;
}

bool LaunchState::MakeRoomForAtomics() {
    const auto waits = [](const Task* task) { return task->waitsForRoom; };
    if (std::none_of(live.begin(), live.end(), waits)) {
        return false;
    }
    // Finds the lowest core that may still add atomic copies before the next full synchronisation.
    uint32_t first = firstOpen;
    const Task* task = nullptr;
    for (; first < ended_.size(); ++first) {
        task = FindLive(first);
        if (!ended_[first] && (task == nullptr || !task->core.atFullBarrier)) {
            break;
        }
    }
    if (first < ended_.size() && task == nullptr) {
        const auto turn = order.begin() + static_cast<ptrdiff_t>(next);
        std::iter_swap(turn, std::find(turn, order.end(), first));
        startOutOfTurn_ = true;
    } else if (task != nullptr && task->waitsForRoom) {
        ApplyAtomicsUpTo(first);
    } else {
        // Core `first` waits for a core with a full log. Applying all logs ends both waits.
        ApplyAtomicsUpTo(UINT32_MAX);
    }
    return true;
}

void LaunchState::ClaimScalarLine(const Core& core, uint64_t line, uintptr_t place) {
    if (!core.strict || core.judged) {
        return;
    }
    uint32_t other = core.coreIdx;
    {
        const std::lock_guard<std::mutex> lock(mutex);
        const auto claim = lineClaims_.find(line);
        if (claim != lineClaims_.end() && claim->second.epoch == syncEpoch_) {
            other = claim->second.coreIdx;
        }
        lineClaims_[line] = LineClaim{core.coreIdx, syncEpoch_};
    }
    if (other != core.coreIdx) {
        Fail("T313",
             "lost update: cores %u and %u both write the 64 B line around %s with SetValue; whole "
             "lines are written back,"
             " so one of them loses\n  try: keep what different cores write 64 B apart",
             other, core.coreIdx, DescribeGm(core, place).c_str());
    }
}

}  // namespace twin
