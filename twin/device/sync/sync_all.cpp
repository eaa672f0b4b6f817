// SPDX-License-Identifier: Apache-2.0
#include "device/sync/sync_all.h"

#include "core/launch_state.h"
#include "device/pipe/events.h"

namespace twin {

void HardSyncAll(Location where) {
    Core& core = Self();
    LaunchState& launch = *core.launch;
    IssueBarrier("SyncAll", Pipe::All, where);
    if (launch.kind != KernelKind::MixAiv10) {
        Fail("T307",
             "SyncAll without synchronisation hardware: the kernel declares KERNEL_TYPE_AIV_ONLY, "
             "where hard"
             " SyncAll hangs\n  try: KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0)");
    }
    uint64_t generation = 0;
    {
        const std::lock_guard<std::mutex> lock(launch.mutex);
        generation = launch.barrierGeneration;
        core.progress.store(core.progress.load(std::memory_order_relaxed) + 1,
                            std::memory_order_relaxed);
        if (++launch.barrierArrived == launch.spec.blockDim) {
            launch.barrierArrived = 0;
            ++launch.barrierGeneration;
            launch.ApplyAtomics();
            launch.NoteSync();
            launch.NoteChange();
            return;
        }
    }
    WaitUntil(
        core, [&launch, generation] { return launch.barrierGeneration != generation; }, "SyncAll");
}

}  // namespace twin
