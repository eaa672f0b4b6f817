// SPDX-License-Identifier: Apache-2.0
#include "device/sync/sync_all.h"

#include "core/launch_state.h"
#include "device/sync/events.h"

namespace twin {
namespace {

// The place where the cores meet; observers use it to distinguish meetings.
constexpr uint64_t kVectorCores = 1;
constexpr uint64_t kAllCores = 2;

CoreSync MeetingOf(const Core& core, bool aivOnly) {
    CoreSync sync;
    sync.what = CoreSync::What::Meet;
    sync.which = CoreSync::Round::Own;
    sync.round = 1;
    sync.object = aivOnly ? kVectorCores : kAllCores;
    sync.member = aivOnly ? core.LogicalBlockIdx() : core.coreIdx;
    sync.count = core.blockNum * (aivOnly ? core.launch->shape.aiv : core.launch->shape.Cores());
    return sync;
}

void CheckKind(const LaunchState& launch, bool aivOnly) {
    if (!launch.HasSyncHardware()) {
        Fail("T307",
             "SyncAll without synchronisation hardware: the kernel is of type %s, where hard "
             "SyncAll hangs\n  try: KERNEL_TASK_TYPE_DEFAULT(%s)",
             launch.shape.aic != 0 ? "KERNEL_TYPE_AIC_ONLY" : "KERNEL_TYPE_AIV_ONLY",
             launch.shape.aic != 0 ? "KERNEL_TYPE_MIX_AIC_1_2" : "KERNEL_TYPE_MIX_AIV_1_0");
    }
    if (!aivOnly && (launch.shape.aic == 0 || launch.shape.aiv == 0)) {
        Fail("T307",
             "SyncAll<false> in a kernel of %s cores only hangs: it waits for the other kind"
             "\n  try: SyncAll<true>, or KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2)",
             launch.shape.aic != 0 ? "cube" : "vector");
    }
}

}  // namespace

void HardSyncAll(bool aivOnly, Location where) {
    Core& core = Self();
    LaunchState& launch = *core.launch;
    const bool meets = !aivOnly || core.kind == CoreKind::Aiv;
    if (meets) {
        IssueBarrier(Opcode::SyncAll, Pipe::All, where, record::Meeting{MeetingOf(core, aivOnly)});
    } else {
        IssueBarrier(Opcode::SyncAll, Pipe::All, where);
    }
    CheckKind(launch, aivOnly);
    if (!meets) {
        return;  // the vector cores meet among each other
    }
    LaunchState::Barrier& barrier = aivOnly ? launch.aivBarrier : launch.allBarrier;
    const uint32_t perBlock = aivOnly ? launch.shape.aiv : launch.shape.Cores();
    core.PublishAtomics();
    uint64_t generation = 0;
    {
        const std::lock_guard<std::mutex> lock(launch.mutex);
        generation = barrier.generation;
        core.atFullBarrier = perBlock == launch.shape.Cores();
        core.NoteMeeting();
        barrier.arrived.push_back(core.coreIdx);
        if (barrier.arrived.size() == launch.spec.blockDim * perBlock) {
            barrier.arrived.clear();
            ++barrier.generation;
            if (perBlock == launch.shape.Cores()) {
                launch.ApplyAtomics();
            }
            launch.crossFlags.Meet(!aivOnly, true);
            launch.NoteSync();
            launch.NoteChange();
            return;
        }
    }
    const auto over = [&barrier, generation] { return barrier.generation != generation; };
    const auto awaited = [&launch, &barrier, aivOnly] {
        return std::vector<Awaited>{
            {aivOnly ? "SyncAll" : "SyncAll<false>", launch.OthersThan(barrier.arrived, aivOnly)}};
    };
    WaitUntil(core, over, "SyncAll", awaited);
}

}  // namespace twin
