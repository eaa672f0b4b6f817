// SPDX-License-Identifier: Apache-2.0
// The part of a launch's state that orders accesses of cores to global memory.
#include <algorithm>

#include "core/core_output.h"
#include "core/launch_state.h"

namespace twin {
namespace {

// Largest logs of one core and of all cores together, before they wait for earlier cores.
constexpr uint64_t kMostLogBytes = 16ULL << 20;
constexpr uint64_t kMostPendingBytes = 1ULL << 30;

}  // namespace

uint32_t LaunchState::OtherAdder(const Core& core, uintptr_t address, uint64_t bytes) const {
    uint32_t other = UINT32_MAX;
    for (const Task* task : live) {
        if (&task->core != &core && task->core.atomics.OverlapsUnpublished(address, bytes)) {
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
        logs.emplace_back(task->core.coreIdx, &task->core.atomics);
    }
    for (auto& ended : endedAtomics_) {
        logs.emplace_back(ended.first, &ended.second);
    }
    std::sort(logs.begin(), logs.end());
    MemoryFault fault;
    return Contained(
        [&] {
            for (const auto& log : logs) {
                log.second->ApplyTo(address, bytes, log.second != &core.atomics);
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
    if (!core.atomics.Empty()) {
        endedAtomics_[core.coreIdx] = std::move(core.atomics);
        core.atomics = AtomicLog();
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
        logs[task->core.coreIdx] = &task->core.atomics;
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
        task->core.atomics = AtomicLog();
    }
    endedAtomics_.clear();
    atomicReads_.clear();
    atomicsLow.store(UINTPTR_MAX, std::memory_order_relaxed);
    atomicsHigh.store(0, std::memory_order_relaxed);
}

bool LaunchState::LogIsFull(Core& core, uint64_t added) {
    pendingAtomicBytes_ += added;
    if (core.atomics.PendingBytes() < kMostLogBytes && pendingAtomicBytes_ < kMostPendingBytes) {
        return false;
    }
    if (core.coreIdx != firstOpen) {
        return true;
    }
    PutIntoMemory(core.coreIdx, core.atomics);  // no core comes before it
    return false;
}

bool LaunchState::MakeRoomForAtomics() {
    const auto waits = [](const Task* task) { return task->waitsForRoom; };
    if (std::none_of(live.begin(), live.end(), waits)) {
        return false;
    }
    // The lowest core that may still add something before the next full synchronisation.
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
        // The core waits for one of those that wait for room: together that is a synchronisation.
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
             other, core.coreIdx, core.DescribeGm(place).c_str());
    }
}

}  // namespace twin
