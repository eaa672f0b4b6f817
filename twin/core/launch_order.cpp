// SPDX-License-Identifier: Apache-2.0
// The part of a launch's state that orders cores' accesses to global memory.
#include <algorithm>

#include "core/launch_state.h"

namespace twin {

uint32_t LaunchState::OtherAdder(const Core& core, uintptr_t address, uint64_t bytes) const {
    for (const Task* task : live) {
        if (&task->core != &core && task->core.atomics.Overlaps(address, bytes)) {
            return task->core.blockIdx;
        }
    }
    for (const EndedLog& ended : endedAtomics_) {
        if (ended.log.Overlaps(address, bytes)) {
            return ended.block;
        }
    }
    return core.blockIdx;
}

uint32_t LaunchState::OtherReader(const Core& core, uintptr_t address, uint64_t bytes) const {
    for (const AtomicRead& read : atomicReads_) {
        if (read.block != core.blockIdx && address < read.address + read.bytes &&
            read.address < address + bytes) {
            return read.block;
        }
    }
    return core.blockIdx;
}

void LaunchState::NoteAtomicRead(const Core& core, uintptr_t address, uint64_t bytes) {
    atomicReads_.push_back(AtomicRead{core.blockIdx, address, bytes});
}

void LaunchState::ForgetAtomicReads(const Core& core) {
    atomicReads_.erase(
        std::remove_if(atomicReads_.begin(), atomicReads_.end(),
                       [&core](const AtomicRead& read) { return read.block == core.blockIdx; }),
        atomicReads_.end());
}

void LaunchState::KeepAtomics(Core& core) {
    if (!core.atomics.Empty()) {
        endedAtomics_.push_back(EndedLog{core.blockIdx, core.subBlockIdx, std::move(core.atomics)});
        core.atomics = AtomicLog();
    }
}

void LaunchState::ApplyAtomics() {
    if (pendingAtomics.load(std::memory_order_relaxed) == 0) {
        return;
    }
    for (Task* task : live) {
        KeepAtomics(task->core);
    }
    std::sort(endedAtomics_.begin(), endedAtomics_.end(), [](const EndedLog& a, const EndedLog& b) {
        return a.block != b.block ? a.block < b.block : a.subBlock < b.subBlock;
    });
    for (EndedLog& ended : endedAtomics_) {
        ended.log.Apply();
    }
    endedAtomics_.clear();
    atomicReads_.clear();
    pendingAtomics.store(0, std::memory_order_relaxed);
}

void LaunchState::ClaimScalarLine(const Core& core, uintptr_t line) {
    if (!core.strict) {
        return;
    }
    uint32_t other = core.blockIdx;
    {
        const std::lock_guard<std::mutex> lock(mutex);
        const auto claim = lineClaims_.find(line);
        if (claim != lineClaims_.end() && claim->second.epoch == syncEpoch_) {
            other = claim->second.block;
        }
        lineClaims_[line] = LineClaim{core.blockIdx, syncEpoch_};
    }
    if (other != core.blockIdx) {
        Fail("T313",
             "lost update: cores %u and %u both write the 64 B line around %s with SetValue; whole "
             "lines are written back,"
             " so one of them loses\n  try: keep what different cores write 64 B apart",
             other, core.blockIdx, core.DescribeGm(std::max(line, core.lastRange->begin)).c_str());
    }
}

}  // namespace twin
