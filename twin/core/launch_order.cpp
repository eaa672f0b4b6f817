// SPDX-License-Identifier: Apache-2.0
// The part of a launch's state that orders cores' accesses to global memory.
#include <algorithm>

#include "core/launch_state.h"

namespace twin {

uint32_t LaunchState::OtherAdder(const Core& core, uintptr_t address, uint64_t bytes) const {
    for (const Task* task : live) {
        if (&task->core != &core && task->core.atomics.OverlapsUnpublished(address, bytes)) {
            return task->core.coreIdx;
        }
    }
    for (const EndedLog& ended : endedAtomics_) {
        if (ended.log.OverlapsUnpublished(address, bytes)) {
            return ended.coreIdx;
        }
    }
    return core.coreIdx;
}

uint32_t LaunchState::OtherReader(const Core& core, uintptr_t address, uint64_t bytes) const {
    for (const AtomicRead& read : atomicReads_) {
        if (read.coreIdx != core.coreIdx && address < read.address + read.bytes &&
            read.address < address + bytes) {
            return read.coreIdx;
        }
    }
    return core.coreIdx;
}

void LaunchState::ApplyPublished(Core& core, uintptr_t address, uint64_t bytes) {
    std::vector<std::pair<uint32_t, AtomicLog*>> logs;
    for (Task* task : live) {
        logs.emplace_back(task->core.coreIdx, &task->core.atomics);
    }
    for (EndedLog& ended : endedAtomics_) {
        logs.emplace_back(ended.coreIdx, &ended.log);
    }
    std::sort(logs.begin(), logs.end());
    for (const auto& log : logs) {
        log.second->ApplyTo(address, bytes, log.second != &core.atomics);
    }
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
        endedAtomics_.push_back(EndedLog{core.coreIdx, std::move(core.atomics)});
        core.atomics = AtomicLog();
    }
}

void LaunchState::ApplyAtomics() {
    if (!MayHoldAtomics(0, UINTPTR_MAX)) {
        return;
    }
    for (Task* task : live) {
        KeepAtomics(task->core);
    }
    std::stable_sort(endedAtomics_.begin(), endedAtomics_.end(),
                     [](const EndedLog& a, const EndedLog& b) { return a.coreIdx < b.coreIdx; });
    for (EndedLog& ended : endedAtomics_) {
        ended.log.Apply();
    }
    endedAtomics_.clear();
    atomicReads_.clear();
    atomicsLow.store(UINTPTR_MAX, std::memory_order_relaxed);
    atomicsHigh.store(0, std::memory_order_relaxed);
}

void LaunchState::ClaimScalarLine(const Core& core, uintptr_t line) {
    if (!core.strict) {
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
             other, core.coreIdx, core.DescribeGm(std::max(line, core.lastRange->begin)).c_str());
    }
}

}  // namespace twin
