// SPDX-License-Identifier: Apache-2.0
// Every member of one group adds 1 to a counter of every member of the other group. The chip polls
// the counters; the twin suspends a core until its counter has the value that ends the poll.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "core/launch_state.h"
#include "device/issue/issue.h"
#include "device/sync/events.h"
#include "device/sync/soft_sync.h"

namespace twin {
namespace {

constexpr uint64_t kLineBytes = 512;
constexpr uint64_t kWaitOffset =
    64;  ///< byte of a member's second counter, in another data cache line than the first
constexpr uint64_t kAtomicBytes = 32;  ///< size of one atomic copy in bytes

uint32_t Lines(const GroupBarrierState& state) {
    return std::max(state.arriveSize, state.waitSize);
}

uint32_t Read(uintptr_t address) {
    uint32_t value;
    std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof(value));
    return value;
}

void CheckIndex(const char* api, uint32_t index, uint32_t size) {
    if (index >= size) {
        Fail("T318", "core outside the group: GroupBarrier::%s(%u), the group has %u cores", api,
             index, size);
    }
}

CoreSync SyncAt(Core& core, const GroupBarrierState& state, uint64_t offset, uint32_t member) {
    CoreSync sync;
    sync.what = CoreSync::What::Release;
    sync.object = core.DeviceAddress(state.workspace + offset);
    sync.member = member;
    return sync;
}

/// Returns the description of a wait for the signals of a group's `size` cores in round `round`.
CoreSync RoundOf(Core& core, const GroupBarrierState& state, uint64_t offset, uint32_t size,
                 uint32_t round) {
    CoreSync sync = SyncAt(core, state, offset, 0);
    sync.what = CoreSync::What::Acquire;
    sync.count = size;
    sync.round = round;
    return sync;
}

/// Member `member` adds 1 to the counter at byte `offset` of each line of 512 B.
void Tell(Core& core, Opcode api, const GroupBarrierState& state, uint64_t offset,
          uint32_t member) {
    const uint32_t lines = Lines(state);
    const uintptr_t begin = state.workspace + offset;
    Issue issue({api, Pipe::Mte3}, core);
    issue.Atomic(AtomicOp::Add);
    issue.NoteGm(Arg::Workspace, {begin, begin}, Runs(kAtomicBytes, {lines, kLineBytes}), true);
    issue.Is(record::Meeting{SyncAt(core, state, offset, member)});
    issue.Done();
    core.PublishAtomics();
    const std::lock_guard<std::mutex> lock(core.launch->mutex);
    for (uint32_t i = 0; i < lines; ++i) {
        const uint32_t value = Read(begin + i * kLineBytes) + 1;
        std::memcpy(reinterpret_cast<void*>(begin + i * kLineBytes), &value, sizeof(value));
    }
    core.launch->NoteSync();
    core.launch->NoteChange();
}

/// Waits until the core's counter has reached `target`. Each of `sync.count` cores adds 1 to it in
/// every round; the twin does not know which cores these are.
void Await(Core& core, Opcode api, uintptr_t counter, uint32_t target, const CoreSync& sync) {
    const uint32_t size = sync.count;
    const char* const others = Name(api == Opcode::Wait ? Opcode::Arrive : Opcode::Wait);
    Issue issue(api, core);
    issue.NoteGm(Arg::Workspace, {counter, counter}, Runs(sizeof(uint32_t)), false);
    issue.Is(record::Meeting{sync});
    issue.Done();
    const auto ready = [counter, target] { return Read(counter) >= target; };
    const auto awaited = [&core, counter, target, size, others] {
        return std::vector<Awaited>{{std::string("GroupBarrier::") + others + " by " +
                                         std::to_string(target - Read(counter)) + " more of " +
                                         std::to_string(size) + " cores",
                                     core.launch->OthersThan({core.coreIdx}, true)}};
    };
    WaitUntil(core, ready, std::string("GroupBarrier::") + Name(api), awaited);
    core.NoteMeeting();
}

}  // namespace

void GroupBarrierStart(const GroupBarrierState& state, Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aiv, where)) {
        return;
    }
    const uint32_t cores = core.blockNum * core.taskRation;
    if (state.arriveSize == 0 || state.waitSize == 0 || Lines(state) > cores) {
        Fail("T318",
             "group size out of range: GroupBarrier of %u arriving and %u waiting cores, expected "
             "1 to %u, the vector cores of the launch",
             state.arriveSize, state.waitSize, cores);
    }
    const uint64_t device = core.DeviceAddress(state.workspace);
    if (device % kLineBytes != 0 && core.strict) {
        Fail("T104", "misaligned GM address: GroupBarrier at 0x%llx, expected a multiple of 512 B",
             static_cast<unsigned long long>(device));
    }
}

void GroupBarrierArrive(GroupBarrierState& state, uint32_t index, Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aiv, where)) {
        return;
    }
    CheckIndex("Arrive", index, state.arriveSize);
    if (state.round > 1) {  // the waiting group must have left the previous round
        Await(core, Opcode::Arrive, state.workspace + kWaitOffset + index * kLineBytes,
              (state.round - 1) * state.waitSize,
              RoundOf(core, state, kWaitOffset, state.waitSize, state.round - 2));
    }
    Tell(core, Opcode::Arrive, state, 0, index);
    ++state.round;
    state.arrived = true;
}

void GroupBarrierWait(GroupBarrierState& state, uint32_t index, Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aiv, where)) {
        return;
    }
    CheckIndex("Wait", index, state.waitSize);
    const uint32_t round = state.arrived ? state.round - 1 : state.round;
    Await(core, Opcode::Wait, state.workspace + index * kLineBytes, round * state.arriveSize,
          RoundOf(core, state, 0, state.arriveSize, round - 1));
    Tell(core, Opcode::Wait, state, kWaitOffset, index);
    state.round += state.arrived ? 0 : 1;
    state.arrived = false;
}

uint64_t GroupBarrierBytes(const GroupBarrierState& state) { return Lines(state) * kLineBytes; }

}  // namespace twin
