// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/core_output.h"
#include "core/cross_core.h"
#include "core/launch.h"
#include "core/observer.h"
#include "core/relaxed.h"
#include "core/task.h"

namespace twin {

/// Base class of data that the cores of one block, or of all blocks, share. LaunchState only stores
/// the object.
struct BlockShared {
    virtual ~BlockShared() = default;
};

struct Failure {
    uint32_t coreIdx = UINT32_MAX;
    CoreKind kind = CoreKind::Aiv;
    bool timeLimit = false;  ///< the watchdog has found the failure by its time limit
    bool allStand = false;   ///< the failure is a deadlock, and all cores have started
    std::string text;
};

/// Everything that one launch shares between its cores and workers.
class LaunchState {
public:
    LaunchState(const LaunchSpec& spec, const SocInfo& soc, KernelKind kind);

    const LaunchSpec spec;
    const SocInfo& soc;
    const KernelKind kind;
    const BlockShape shape;   ///< kinds and number of the cores of one block
    std::vector<GmRange> gm;  ///< ranges of global memory, sorted and disjoint
    std::vector<std::unique_ptr<Observer>> observers;
    Relaxed<bool> stop{false};         ///< if true, tasks end at their next instruction
    std::atomic<bool> divided{false};  ///< whether a core has divided by zero
    Location divisionAfter;            ///< the Ascend C call before the first such division
    CoreOutput output;

    // --- scheduling, guarded by `mutex` ---
    std::mutex mutex;
    std::condition_variable changed;
    uint64_t epoch = 0;  ///< number of changes; a worker without a task waits for the next change
    uint32_t workers = 1;
    uint32_t idle = 0;     ///< number of workers that found nothing to do in this epoch
    uint32_t running = 0;  ///< number of tasks that are on a worker right now
    uint32_t active = 0;   ///< number of tasks that have started and not ended
    uint32_t finished = 0;
    std::vector<uint32_t> order;  ///< order in which cores start, block by block
    size_t next = 0;
    std::vector<Failure> failures;
    uint32_t firstOpen = 0;    ///< the lowest core that has not ended
    bool cancelled = false;    ///< another thread has cancelled the launch
    bool outOfMemory = false;  ///< a worker ran out of memory
    bool abandoned = false;    ///< a thread still uses this object and will never release it
    uint64_t gmReadBytes = 0;
    uint64_t gmWriteBytes = 0;
    std::list<std::unique_ptr<Task>> tasks;  ///< tasks that have started; an idle worker takes one
    std::list<Task*> live;                   ///< all items of `tasks`, in the order of starts

    // --- barriers by hardware, of the vector cores and of all cores; guarded by `mutex` ---
    struct Barrier {
        uint64_t generation = 0;
        std::vector<uint32_t> arrived;  ///< indices of the cores that wait
    };
    Barrier aivBarrier;
    Barrier allBarrier;

    // --- atomic copies that wait for a full synchronisation; logs guarded by `mutex` ---
    std::atomic<uintptr_t> atomicsLow{UINTPTR_MAX};  ///< lowest address in all logs
    std::atomic<uintptr_t> atomicsHigh{0};
    bool MayHoldAtomics(uintptr_t address, uint64_t bytes) const {
        return address < atomicsHigh.load(std::memory_order_relaxed) &&
               atomicsLow.load(std::memory_order_relaxed) < address + bytes;
    }
    void NoteAtomics(uintptr_t address, uint64_t bytes);
    /// Returns the lowest other core whose atomic copies to the bytes are not visible to `core`;
    /// `core` itself if there is none. The caller holds the lock, as for the next four functions.
    uint32_t OtherAdder(const Core& core, uintptr_t address, uint64_t bytes) const;
    /// Like OtherAdder, but looks for a core that has read back its own atomic copies to the bytes.
    uint32_t OtherReader(const Core& core, uintptr_t address, uint64_t bytes) const;
    /// Applies, to these bytes, all atomic copies that `core` can see, in (block, sub-block,
    /// program) order. Returns false if the memory no longer exists.
    bool ApplyPublished(Core& core, uintptr_t address, uint64_t bytes);
    void NoteAtomicRead(const Core& core, uintptr_t address, uint64_t bytes);
    void ForgetAtomicReads(const Core& core);
    /// Applies all atomic copies in (block, sub-block, program) order. The caller holds the lock,
    /// and every core waits or has ended.
    void ApplyAtomics();
    /// Takes over the atomic copies of a core that has ended. The caller holds the lock.
    void KeepAtomics(Core& core);
    /// Counts `added` bytes in a core's log of atomic copies. Returns true if the log is full: the
    /// core must then wait until the logs of all lower cores and its own log are applied. The
    /// caller holds the lock.
    bool LogIsFull(Core& core, uint64_t added);

    // --- flags between cores, guarded by `mutex` ---
    CrossCoreFlags crossFlags;

    // --- one object per block, created by the first core that needs it, guarded by `mutex` ---
    std::map<uint32_t, std::unique_ptr<BlockShared>> blockShared;
    /// The object that all blocks share, created by the first core that communicates with other
    /// devices.
    std::unique_ptr<BlockShared> collectives;

    /// Notes that `core` writes the line at device address `line` through its data cache. If
    /// another core has written the line since the last synchronisation, ends the task (T313): the
    /// cache writes whole lines back. `place` is the host address of the line.
    void ClaimScalarLine(const Core& core, uint64_t line, uintptr_t place);
    /// Notes a synchronisation that may order scalar writes of different cores. The caller holds
    /// the lock.
    void NoteSync() { ++syncEpoch_; }

    /// Wakes the workers, so that they look for tasks again. The caller holds the lock.
    void NoteChange() {
        ++epoch;
        idle = 0;
        changed.notify_all();
    }
    bool Over() const { return stop.Get() ? running == 0 : finished == order.size(); }
    bool CanStart() const {
        return !stop.Get() && next < order.size() && (active < maxActive || startOutOfTurn_);
    }
    /// Makes all tasks end at their next instruction. The caller holds the lock, as for all
    /// functions below.
    void End() {
        stop.Set(true);
        NoteChange();
    }
    /// Adds a failure. The launch goes on as long as a lower core may fail, too, because the
    /// reported error must not depend on which core fails first.
    void AddFailure(const Core& core, bool timeLimit, std::string text);
    /// Notes that `core` has ended, with or without an error.
    void NoteEnd(const Core& core);
    /// Returns the failure to report, which is the failure of the lowest core. Ignores failures by
    /// a time limit if there are failures for other reasons.
    const Failure* FirstFailure() const;
    /// Handles a standstill: every core that has not ended waits, and no other core will start.
    void ResolveStandstill();
    /// Returns all cores, or all vector cores, except those in `cores`.
    std::vector<uint32_t> OthersThan(const std::vector<uint32_t>& cores, bool aivOnly) const;
    CoreKind NextKind() const { return shape.KindOf(order[next]); }
    std::unique_ptr<Task> MakeTask(std::unique_ptr<CoreStorage> storage);
    /// Adds the task of the next core to the launch.
    Task* Start(std::unique_ptr<Task> task);
    /// Returns the modelled device address of a host address. If no range contains the address,
    /// computes the device address from the begin of the nearest range.
    uint64_t DeviceAddress(uintptr_t address) const;
    const GmRange* NearestRange(uintptr_t address) const;
    bool IsMix() const { return kind != KernelKind::AivOnly && kind != KernelKind::AicOnly; }
    /// Notes that `core` has divided by zero; for signal handlers.
    void NoteDivision(const Core& core) {
        if (core.strict && !divided.exchange(true)) {
            divisionAfter = core.where;
        }
    }
    /// Returns the bytes of L1 before those that the library's Matmul server may take.
    uint64_t LibraryL1() const;
    bool HasSyncHardware() const { return IsMix() || spec.coresMayMeet; }

    /// Number of cores that run at the same time; further blocks wait, as on the hardware.
    uint32_t maxActive;

private:
    struct AtomicRead {
        uint32_t coreIdx;
        uintptr_t address;
        uint64_t bytes;
    };
    struct LineClaim {
        uint32_t coreIdx;
        uint64_t epoch;
    };

    std::map<uint32_t, AtomicLog> endedAtomics_;  ///< atomic copies of cores that have ended
    uint32_t appliedBelow_ = 0;  ///< atomic copies of all cores with a lower index are in memory
    uint64_t pendingAtomicBytes_ = 0;
    std::vector<bool> ended_;  ///< true for each core that has ended
    bool startOutOfTurn_ = false;
    std::vector<AtomicRead> atomicReads_;
    std::map<uint64_t, LineClaim> lineClaims_;
    uint64_t syncEpoch_ = 0;

    void BuildGmRanges();
    /// Sets the device address of each range in `gm`, from the device address of its allocation.
    /// `allocations` are sorted and contain all memory except `system`, the system workspace.
    void AssignDeviceAddresses(std::vector<GmRange> allocations, GmRange system);
    std::string DescribeWaiters() const;
    std::string DescribeNeed(const Awaited& awaited) const;
    void ReportDeadlock();
    Task* FindLive(uint32_t coreIdx) const;
    /// Applies a core's atomic copies; if the memory no longer exists, the launch fails.
    void PutIntoMemory(uint32_t coreIdx, AtomicLog& log);
    void ApplyAtomicsUpTo(uint32_t coreIdx);
    /// If cores wait because a log is full, helps them to go on. Returns false if no core waits.
    bool MakeRoomForAtomics();
};

/// Returns the address of the system workspace (GetSysWorkSpacePtr), the same for every launch.
TWIN_API uintptr_t SystemWorkspace(uint64_t bytes);

/// Returns the source line of the current call, and a text such as "core 7 AIV, block 3 of 8".
std::string DescribePlace(const Core& core);

}  // namespace twin
