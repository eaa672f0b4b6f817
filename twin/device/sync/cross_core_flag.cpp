// SPDX-License-Identifier: Apache-2.0
#include "device/sync/cross_core_flag.h"

#include "core/launch_state.h"

namespace twin {
namespace {

uint32_t CheckedFlag(Core& core, uint32_t flagId, const char* api) {
    if (core.launch->kind != KernelKind::MixAiv10) {
        Fail("T307",
             "no synchronisation hardware: %s in a kernel of type KERNEL_TYPE_AIV_ONLY hangs\n  "
             "try: "
             "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0)",
             api);
    }
    if (flagId >= CrossCoreFlags::kFlags && core.strict) {
        Fail("T316", "flag id out of range: %s(%u), expected 0 to 15; the chip cuts it to %u", api,
             flagId, flagId % CrossCoreFlags::kFlags);
    }
    return flagId % CrossCoreFlags::kFlags;
}

void RecordFlag(Core& core, const char* opcode, Pipe pipe, uint32_t flagId) {
    if (core.Recording()) {
        Instruction instruction;
        instruction.pipe = pipe;
        instruction.opcode = opcode;
        instruction.crossFlagId = static_cast<int8_t>(flagId);
        core.Record(instruction);
    }
}

}  // namespace

void SetCrossCoreFlag(uint32_t mode, Pipe pipe, uint32_t flagId, Location where) {
    Core& core = Self();
    core.Begin(where);
    const uint32_t flag = CheckedFlag(core, flagId, "CrossCoreSetFlag");
    if (mode != 0) {
        Fail("T604",
             "mode not modelled: CrossCoreSetFlag<%u> pairs the cores of a mix kernel; a vector "
             "kernel has mode 0",
             mode);
    }
    RecordFlag(core, "CrossCoreSet", pipe, flag);
    core.PublishAtomics();
    LaunchState& launch = *core.launch;
    uint32_t pending = 0;
    {
        const std::lock_guard<std::mutex> lock(launch.mutex);
        launch.crossFlags.Set(flag, core.blockIdx);
        pending = launch.crossFlags.Sets(flag, core.blockIdx) - core.crossWaits[flag];
        launch.NoteSync();
        launch.NoteChange();
    }
    core.progress.store(core.progress.load(std::memory_order_relaxed) + 1,
                        std::memory_order_relaxed);
    if (pending > CrossCoreFlags::kMaxPending) {
        Fail("T317",
             "too many sets: flag %u was set %u times more often than this core waited for it, its "
             "counter holds %u\n  try: "
             "one CrossCoreWaitFlag for every CrossCoreSetFlag",
             flag, pending, CrossCoreFlags::kMaxPending);
    }
}

void WaitCrossCoreFlag(uint32_t flagId, Location where) {
    Core& core = Self();
    core.Begin(where);
    const uint32_t flag = CheckedFlag(core, flagId, "CrossCoreWaitFlag");
    RecordFlag(core, "CrossCoreWait", Pipe::S, flag);
    LaunchState& launch = *core.launch;
    const uint32_t needed = ++core.crossWaits[flag];
    const auto ready = [&launch, flag, needed] {
        return launch.crossFlags.Complete(flag) >= needed;
    };
    bool wait = false;
    {
        const std::lock_guard<std::mutex> lock(launch.mutex);
        wait = !ready();
    }
    if (wait) {
        WaitUntil(core, ready, "CrossCoreWaitFlag(" + std::to_string(flag) + ")");
    }
}

}  // namespace twin
