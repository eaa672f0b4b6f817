// SPDX-License-Identifier: Apache-2.0
#include "device/sync/cross_core_flag.h"

#include <cinttypes>

#include "core/cross_core.h"
#include "core/launch_state.h"
#include "device/issue/issue.h"
#include "device/sync/events.h"

namespace twin {

AscendC::HardEvent EventBetween(Pipe source, Pipe destination, const char* api, Location where) {
    Self().Begin(where);
    for (uint32_t event = 0; event < kHardEvents; ++event) {
        const HardEventInfo& info = EventInfo(event);
        if (info.source == source && info.destination == destination) {
            return static_cast<AscendC::HardEvent>(event);
        }
    }
    Fail("T304", "no such event: %s from pipe %s to pipe %s, which have no flags between them", api,
         Name(source), Name(destination));
}

void SetHardwareSyncAddress(uint64_t address, Location where) {
    Self().Begin(where);
    if (address != kHardwareSyncAddress) {
        Fail("T307",
             "no synchronisation hardware: SetSyncBaseAddr(0x%" PRIx64
             "), which is not its address\n  try: the address that aclrtGetHardwareSyncAddr gives",
             address);
    }
}

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

/// Fails for modes 1 and 2 (T321) unless each block has both a cube core and vector cores.
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

// Numbers of the two hardware barriers in instruction records: of vector cores, and of all cores.
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
        FailOrNote(
            "T317",
            "too many sets: flag %u was set %u times more often than a core is known to have "
            "waited for it, its counter holds %u\n  try: one CrossCoreWaitFlag for every "
            "CrossCoreSetFlag, and a flag sent back before the sixteenth set",
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

void HardSyncAll(bool aivOnly, Location where) {
    Core& core = Self();
    LaunchState& launch = *core.launch;
    const bool meets = !aivOnly || core.kind == CoreKind::Aiv;
    if (meets) {
        IssueAlone({Opcode::SyncAll, Pipe::All}, record::Meeting{MeetingOf(core, aivOnly)}, where);
    } else {
        IssueBarrier(Opcode::SyncAll, Pipe::All, where);
    }
    CheckKind(launch, aivOnly);
    if (!meets) {
        return;  // a cube core takes no part in the barrier of the vector cores
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
