// SPDX-License-Identifier: Apache-2.0
// Synchronisation through slots of 32 B in global memory. The chip polls the slots; the twin
// suspends the core until the slots have the values that end the poll, and so finds deadlocks.
#include "device/sync/soft_sync.h"

#include <cstring>
#include <string>
#include <vector>

#include "core/launch_state.h"
#include "device/issue/issue.h"
#include "device/sync/events.h"

namespace twin {
namespace {

constexpr uint64_t kSlotBytes = 32;

int32_t ReadSlot(uintptr_t address) {
    int32_t value;
    std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof(value));
    return value;
}

void WriteSlot(uintptr_t address, int32_t value) {
    int32_t slot[kSlotBytes / sizeof(int32_t)] = {};
    slot[0] = value;
    std::memcpy(reinterpret_cast<void*>(address), slot, sizeof(slot));
}

/// The slots of one call in global memory, and the buffer in UB through which they are copied.
struct Slots {
    Core& core;
    Opcode api;
    GmOperand gm;
    Operand ub;

    uint8_t* Ub() const { return core.memory[static_cast<size_t>(Memory::Ub)] + ub.address; }
    /// Records a transfer of `count` slots from `address` on; the caller copies the bytes.
    void Note(uintptr_t address, uint64_t count, bool write, const CoreSync& sync = kInside) const {
        Issue issue({api, write ? Pipe::Mte3 : Pipe::Mte2}, core);
        const Runs runs(count * kSlotBytes);
        issue.NoteGm(Arg::GmWorkspace, {gm.origin, address}, runs, write);
        issue.Note(Arg::UbWorkspace, Memory::Ub, ub.address, runs, !write);
        issue.Is(record::Meeting{sync});
        issue.Done();
    }
    /// Describes a signal which means that all earlier instructions of this core have ended.
    CoreSync Release() const {
        CoreSync sync;
        sync.what = CoreSync::What::Release;
        sync.object = core.DeviceAddress(gm.address);
        sync.member = core.LogicalBlockIdx();
        return sync;
    }
    /// Describes a wait for signal n - `back` of `count` cores; n numbers this core's next signal.
    CoreSync Acquire(uint32_t first, uint32_t count, uint32_t back) const {
        CoreSync sync = Release();
        sync.what = CoreSync::What::Acquire;
        sync.which = CoreSync::Round::Own;
        sync.round = back;
        sync.first = first;
        sync.count = count;
        return sync;
    }
    static constexpr CoreSync kInside = {
        CoreSync::What::Inside, CoreSync::Round::Fixed, 0, 0, 0, 0, 0};
};

Slots Enter(Opcode api, const GmOperand& gm, const Operand& ub, uint64_t count, Location where) {
    Core& core = Self();
    IssueBarrier(Opcode::PipeBarrier, Pipe::All, where);
    CheckLocalOperand(core, ub, Memory::Ub, count * kSlotBytes, kBlockBytes, Name(api),
                      Name(Arg::UbWorkspace));
    return Slots{core, api, gm, ub};
}

uint32_t VectorCores(const Core& core) { return core.blockNum * core.taskRation; }

/// Returns the number of a vector core among all cores of the launch.
uint32_t IndexOfVectorCore(const LaunchState& launch, uint32_t logical) {
    const BlockShape& shape = launch.shape;
    return logical / shape.aiv * shape.Cores() + shape.aic + logical % shape.aiv;
}

/// Returns the cores from `first` to `end` - 1 whose slot is not good: they must still call `api`.
template <typename Good>
Awaited CallsOf(const LaunchState& launch, Opcode api, uintptr_t slots, uint32_t first,
                uint32_t end, Good good) {
    Awaited awaited{Name(api), {}};
    for (uint32_t i = first; i < end; ++i) {
        if (!good(ReadSlot(slots + i * kSlotBytes))) {
            awaited.cores.push_back(IndexOfVectorCore(launch, i));
        }
    }
    return awaited;
}

uint32_t CheckedCores(Core& core, int32_t usedCores) {
    const uint32_t all = VectorCores(core);
    if (usedCores < 0 || static_cast<uint32_t>(usedCores) > all) {
        Fail("T318",
             "core count out of range: SyncAll with usedCores %d, expected 0 to %u, the vector "
             "cores of the launch",
             usedCores, all);
    }
    const uint32_t cores = usedCores == 0 ? all : static_cast<uint32_t>(usedCores);
    if (core.LogicalBlockIdx() >= cores) {
        Fail("T318", "core outside the barrier: block %u calls SyncAll with usedCores %u",
             core.LogicalBlockIdx(), cores);
    }
    return cores;
}

/// Returns the description of a signal or wait at a slot. `full` means that the slot becomes 1.
CoreSync Turn(Core& core, uintptr_t slot, bool full, CoreSync::What what) {
    CoreSync sync;
    sync.what = what;
    sync.which = CoreSync::Round::Next;
    sync.object = core.DeviceAddress(slot) + (full ? 1 : 2);
    sync.count = 1;
    sync.round = full ? 0 : 1;
    return sync;
}

/// Returns what is wrong if the slot has a number that neither IBSet nor IBWait writes.
std::string FaultOfSlot(const Core& core, uintptr_t slot) {
    const std::lock_guard<std::mutex> lock(core.launch->mutex);
    const int32_t value = ReadSlot(slot);
    return value == 0 || value == 1
               ? ""
               : "whose slot has " + std::to_string(value) + ", expected 0 (free) or 1 (set)";
}

/// Waits until the slot is `wanted` (0 for IBSet, 1 for IBWait), and then writes the other value.
void Exchange(Opcode api, const GmOperand& gm, const Operand& ub, int32_t blockIdx, int32_t eventId,
              int32_t wanted, Location where) {
    if (!Self().BeginOn(CoreKind::Aiv, where)) {
        return;
    }
    const Slots slots = Enter(api, gm, ub, 1, where);
    Core& core = slots.core;
    if (blockIdx < 0 || static_cast<uint32_t>(blockIdx) >= VectorCores(core) || eventId < 0) {
        Fail(
            "T318",
            "%s with blockIdx %d and eventID %d, expected a block from 0 to %u and an event from 0",
            Name(api), blockIdx, eventId, VectorCores(core) - 1);
    }
    const uintptr_t slot =
        gm.address + (static_cast<uint64_t>(VectorCores(core)) * static_cast<uint32_t>(eventId) +
                      static_cast<uint32_t>(blockIdx)) *
                         kSlotBytes;
    slots.Note(slot, 1, false, Turn(core, slot, wanted == 1, CoreSync::What::Acquire));
    slots.Note(slot, 1, true, Turn(core, slot, wanted == 0, CoreSync::What::Release));
    core.PublishAtomics();
    const std::string which =
        "(block " + std::to_string(blockIdx) + ", event " + std::to_string(eventId) + ")";
    const std::string fault = FaultOfSlot(core, slot);
    if (core.strict && !fault.empty()) {
        Fail("T319",
             "workspace not zeroed: %s%s, %s\n  try: zero 32 B per core and event of gmWorkspace "
             "before the kernel's first IBSet or IBWait",
             Name(api), which.c_str(), fault.c_str());
    }
    const auto awaited = [&core, wanted, which, blockIdx] {
        // By convention block `blockIdx` calls IBSet; any other block may call IBWait.
        const uint32_t named = IndexOfVectorCore(*core.launch, static_cast<uint32_t>(blockIdx));
        return std::vector<Awaited>{
            wanted == 1 ? Awaited{"IBSet" + which, {named}}
                        : Awaited{"IBWait" + which, core.launch->OthersThan({core.coreIdx}, true)}};
    };
    WaitUntil(
        core, [slot, wanted] { return ReadSlot(slot) == wanted; },
        Name(api) + which + (fault.empty() ? "" : ", " + fault), awaited);
    core.NoteMeeting();
    const std::lock_guard<std::mutex> lock(core.launch->mutex);
    WriteSlot(slot, 1 - wanted);
    std::memcpy(slots.Ub(), reinterpret_cast<const void*>(slot), kSlotBytes);
    core.launch->NoteSync();
    core.launch->NoteChange();
}

}  // namespace

void SoftSyncAll(const GmOperand& gm, const Operand& ub, int32_t usedCores, Location where) {
    if (!Self().BeginOn(CoreKind::Aiv, where)) {
        return;
    }
    const uint32_t cores = CheckedCores(Self(), usedCores);
    const Slots slots = Enter(Opcode::SyncAll, gm, ub, cores, where);
    Core& core = slots.core;
    LaunchState& launch = *core.launch;
    const bool everybody = cores == VectorCores(core) && launch.shape.aic == 0;
    const uintptr_t own = gm.address + core.LogicalBlockIdx() * kSlotBytes;
    slots.Note(own, 1, false);
    slots.Note(own, 1, true, slots.Release());
    const int32_t round = ReadSlot(own) + 1;
    int32_t& known = core.state->softRounds[gm.address];
    if (core.strict && round != known + 1) {
        Fail("T319",
             "workspace not zeroed: SyncAll finds %d in this core's slot before its call number "
             "%d\n  try: zero the first"
             " 32 B per core of gmWorkspace before the kernel's first SyncAll",
             round - 1, known + 1);
    }
    known = round;
    const auto complete = [gm, cores, round] {
        for (uint32_t i = 0; i < cores; ++i) {
            if (ReadSlot(gm.address + i * kSlotBytes) < round) {
                return false;
            }
        }
        return true;
    };
    {
        const std::lock_guard<std::mutex> lock(launch.mutex);
        WriteSlot(own, round);
        if (complete() && everybody) {
            launch.ApplyAtomics();
        }
        launch.NoteSync();
        launch.NoteChange();
    }
    if (!everybody) {
        core.PublishAtomics();
    }
    WaitUntil(core, complete, "SyncAll", [&launch, gm, cores, round] {
        return std::vector<Awaited>{CallsOf(launch, Opcode::SyncAll, gm.address, 0, cores,
                                            [round](int32_t slot) { return slot >= round; })};
    });
    core.NoteMeeting();
    slots.Note(gm.address, cores, false, slots.Acquire(0, cores, 1));
    std::memcpy(slots.Ub(), reinterpret_cast<const void*>(gm.address), cores * kSlotBytes);
}

void BlockSet(const GmOperand& gm, const Operand& ub, int32_t blockIdx, int32_t eventId,
              Location where) {
    Exchange(Opcode::IBSet, gm, ub, blockIdx, eventId, 0, where);
}

void BlockWait(const GmOperand& gm, const Operand& ub, int32_t blockIdx, int32_t eventId,
               Location where) {
    Exchange(Opcode::IBWait, gm, ub, blockIdx, eventId, 1, where);
}

void InitOrdered(const GmOperand& gm, const Operand& ub, Location where) {
    if (!Self().BeginOn(CoreKind::Aiv, where)) {
        return;
    }
    constexpr Opcode kApi = Opcode::InitDetermineComputeWorkspace;
    const Slots slots = Enter(kApi, gm, ub, uint64_t{VectorCores(Self())} + 1, where);
    const Core& core = slots.core;
    if (core.LogicalBlockIdx() == 0) {
        slots.Note(gm.address, VectorCores(core), true);
        const std::lock_guard<std::mutex> lock(core.launch->mutex);
        for (uint32_t i = 0; i < VectorCores(core); ++i) {
            WriteSlot(gm.address + i * kSlotBytes, 0);
        }
        core.launch->NoteChange();
    }
    const int32_t round = 1;
    std::memcpy(slots.Ub() + VectorCores(core) * kSlotBytes, &round, sizeof(round));
}

void WaitOrdered(const GmOperand& gm, const Operand& ub, Location where) {
    if (!Self().BeginOn(CoreKind::Aiv, where)) {
        return;
    }
    const Slots slots =
        Enter(Opcode::WaitPreBlock, gm, ub, uint64_t{VectorCores(Self())} + 1, where);
    Core& core = slots.core;
    int32_t round = 0;
    std::memcpy(&round, slots.Ub() + VectorCores(core) * kSlotBytes, sizeof(round));
    const uint32_t self = core.LogicalBlockIdx();
    const uint32_t cores = VectorCores(core);
    if (self > 0) {
        slots.Note(gm.address, self, false, slots.Acquire(0, self, 0));
    }
    slots.Note(gm.address + self * kSlotBytes, cores - self, false,
               slots.Acquire(self, cores - self, 1));
    // Waits until all lower cores, and no others, have called NotifyNextBlock in this round.
    WaitUntil(
        core,
        [gm, self, cores, round] {
            for (uint32_t i = 0; i < cores; ++i) {
                if (ReadSlot(gm.address + i * kSlotBytes) != (i < self ? round : 0)) {
                    return false;
                }
            }
            return true;
        },
        "WaitPreBlock",
        [&core, gm, self, cores, round] {
            const LaunchState& launch = *core.launch;
            const Awaited before = CallsOf(launch, Opcode::NotifyNextBlock, gm.address, 0, self,
                                           [round](int32_t slot) { return slot == round; });
            // NotifyNextBlock on the last core begins the next round for all cores.
            return std::vector<Awaited>{
                !before.cores.empty()
                    ? before
                    : Awaited{"NotifyNextBlock", {IndexOfVectorCore(launch, cores - 1)}}};
        });
    core.NoteMeeting();
    std::memcpy(slots.Ub(), reinterpret_cast<const void*>(gm.address), cores * kSlotBytes);
}

void NotifyOrdered(const GmOperand& gm, const Operand& ub, Location where) {
    if (!Self().BeginOn(CoreKind::Aiv, where)) {
        return;
    }
    const Slots slots =
        Enter(Opcode::NotifyNextBlock, gm, ub, uint64_t{VectorCores(Self())} + 1, where);
    Core& core = slots.core;
    uint8_t* counter = slots.Ub() + VectorCores(core) * kSlotBytes;
    int32_t round = 0;
    std::memcpy(&round, counter, sizeof(round));
    core.PublishAtomics();
    const bool last = core.LogicalBlockIdx() + 1 == VectorCores(core);
    const uint32_t first = last ? 0 : core.LogicalBlockIdx();
    const uint32_t count = last ? VectorCores(core) : 1;
    slots.Note(gm.address + first * kSlotBytes, count, true, slots.Release());
    {
        const std::lock_guard<std::mutex> lock(core.launch->mutex);
        for (uint32_t i = first; i < first + count; ++i) {
            WriteSlot(gm.address + i * kSlotBytes, last ? 0 : round);
        }
        core.launch->NoteSync();
        core.launch->NoteChange();
    }
    ++round;
    std::memcpy(counter, &round, sizeof(round));
}

}  // namespace twin
