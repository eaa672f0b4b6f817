// SPDX-License-Identifier: Apache-2.0
#include "core/launch_state.h"
#include "device/issue/issue.h"
#include "device/sync/flags.h"

namespace twin {
namespace {

uint32_t CheckedFlag(Core& core, uint32_t flagId, const char* api) {
    if (!core.launch->HasSyncHardware()) {
        Fail("T307", "no synchronisation hardware: %s in a kernel of type %s hangs\n  try: %s", api,
             core.kind == CoreKind::Aiv ? "KERNEL_TYPE_AIV_ONLY" : "KERNEL_TYPE_AIC_ONLY",
             core.kind == CoreKind::Aiv ? "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0)"
                                        : "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_0)");
    }
    if (flagId >= CrossCoreFlags::kFlags && core.strict) {
        Fail("T316", "flag id out of range: %s(%u), expected 0 to 15; the chip cuts it to %u", api,
             flagId, flagId % CrossCoreFlags::kFlags);
    }
    return flagId % CrossCoreFlags::kFlags;
}

/// Modes 1 and 2 pair the cores of one AI core, so there must be another core to pair with.
void CheckMode(const Core& core, uint32_t mode) {
    const BlockShape& shape = core.launch->shape;
    if (mode == 0 || (shape.aic != 0 && shape.aiv != 0)) {
        return;
    }
    Fail("T321",
         "nobody to pair with: CrossCoreSetFlag<%u> in a kernel whose blocks are %s alone"
         "\n  try: mode 0, or KERNEL_TYPE_MIX_AIC_1_1 or KERNEL_TYPE_MIX_AIC_1_2",
         mode, shape.aic != 0 ? "a cube core" : "a vector core");
}

}  // namespace

void SetCrossCoreFlag(uint32_t mode, Pipe pipe, uint32_t flagId, Location where) {
    Issue issue({Opcode::CrossCoreSet, pipe}, where);
    Core& core = issue.core();
    const uint32_t flag = CheckedFlag(core, flagId, "CrossCoreSetFlag");
    CheckMode(core, mode);
    issue.Is(record::CrossFlag{static_cast<int8_t>(flag), static_cast<int8_t>(mode)});
    issue.Done();
    core.PublishAtomics();
    LaunchState& launch = *core.launch;
    uint32_t pending = 0;
    {
        const std::lock_guard<std::mutex> lock(launch.mutex);
        pending = launch.crossFlags.Set(core.coreIdx, mode, flag);
        launch.NoteSync();
        launch.NoteChange();
    }
    core.NoteMeeting();
    if (pending > CrossCoreFlags::kMaxPending && (core.strict || core.judged)) {
        Fail("T317",
             "too many sets: flag %u was set %u times more often than a core is known to have "
             "waited for it, its counter holds %u\n  try: one CrossCoreWaitFlag for every "
             "CrossCoreSetFlag, and a flag back before the sixteenth",
             flag, pending, CrossCoreFlags::kMaxPending);
    }
}

void WaitCrossCoreFlag(uint32_t flagId, Location where) {
    Issue issue(Opcode::CrossCoreWait, where);
    Core& core = issue.core();
    const uint32_t flag = CheckedFlag(core, flagId, "CrossCoreWaitFlag");
    issue.Is(record::CrossFlag{static_cast<int8_t>(flag), -1});
    issue.Done();
    LaunchState& launch = *core.launch;
    const auto ready = [&launch, &core, flag] {
        return launch.crossFlags.CanPass(core.coreIdx, flag);
    };
    {
        const std::lock_guard<std::mutex> lock(launch.mutex);
        if (ready()) {
            launch.crossFlags.Pass(core.coreIdx, flag);
            return;
        }
    }
    const auto awaited = [&launch, &core, flag] {
        std::vector<Awaited> calls;
        for (auto& missing : launch.crossFlags.MissingSets(core.coreIdx, flag)) {
            calls.push_back({"CrossCoreSetFlag<" + std::to_string(missing.mode) + ", ...>(" +
                                 std::to_string(flag) + ")",
                             std::move(missing.cores)});
        }
        return calls;
    };
    WaitUntil(core, ready, "CrossCoreWaitFlag(" + std::to_string(flag) + ")", awaited);
    const std::lock_guard<std::mutex> lock(launch.mutex);
    launch.crossFlags.Pass(core.coreIdx, flag);
}

}  // namespace twin
