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
#include "core/task.h"

namespace twin {

/// Base of the data that the cores of one block, or of all blocks, share. A launch stores the
/// object and knows nothing else about it.
struct BlockShared {
    virtual ~BlockShared() = default;
};

struct Failure {
    uint32_t coreIdx = UINT32_MAX;
    CoreKind kind = CoreKind::Aiv;
    bool timeLimit = false;  ///< a clock has found the failure, not the program
    bool allStand = false;   ///< the failure is a deadlock of cores that have all begun
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
    std::atomic<bool> stop{false};  ///< tasks end at their next instruction
    CoreOutput output;

    // --- scheduling, guarded by `mutex` ---
    std::mutex mutex;
    std::condition_variable changed;
    uint64_t epoch = 0;  ///< counts changes for which somebody may wait
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
    std::list<Task*> live;                   ///< the same tasks, in the order in which they started

    // --- hard barriers: over the vector cores, and over all cores; guarded by `mutex` ---
    struct Barrier {
        uint64_t generation = 0;
        std::vector<uint32_t> arrived;  ///< number of cores
    };
    Barrier aivBarrier;
    Barrier allBarrier;

    // --- atomic copies that wait for a full synchronisation; logs guarded by `mutex` ---
    std::atomic<uintptr_t> atomicsLow{UINTPTR_MAX};  ///< bounds of the bytes in all logs
    std::atomic<uintptr_t> atomicsHigh{0};
    bool MayHoldAtomics(uintptr_t address, uint64_t bytes) const {
        return address < atomicsHigh.load(std::memory_order_relaxed) &&
               atomicsLow.load(std::memory_order_relaxed) < address + bytes;
    }
    void NoteAtomics(uintptr_t address, uint64_t bytes);
    /// Returns another core that has copied atomically to the bytes and has not published the copy,
    /// or the core itself. The caller holds the lock, as for the next four functions.
    uint32_t OtherAdder(const Core& core, uintptr_t address, uint64_t bytes) const;
    /// Returns another core that has read its own atomic copies at these bytes.
    uint32_t OtherReader(const Core& core, uintptr_t address, uint64_t bytes) const;
    /// Applies the entries of the logs that `core` may see, in (block, sub-block, program) order.
    /// Returns false if the memory no longer exists.
    bool ApplyPublished(Core& core, uintptr_t address, uint64_t bytes);
    void NoteAtomicRead(const Core& core, uintptr_t address, uint64_t bytes);
    void ForgetAtomicReads(const Core& core);
    /// Applies all logs in (block, sub-block, program) order. The caller holds the lock, and every
    /// core waits or has ended.
    void ApplyAtomics();
    /// Takes over the log of a core that has ended. Lock held.
    void KeepAtomics(Core& core);
    /// Notes a new log entry of a core. Returns true if the core has to wait until its log is
    /// empty: the log is large, and is applied after those of lower cores. Lock held.
    bool LogIsFull(Core& core, uint64_t added);

    // --- flags between cores, guarded by `mutex` ---
    CrossCoreFlags crossFlags;

    // --- created by the first core of a block that needs the object, guarded by `mutex` ---
    std::map<uint32_t, std::unique_ptr<BlockShared>> blockShared;
    /// The object that all blocks share, created by the first core that communicates with other
    /// devices.
    std::unique_ptr<BlockShared> collectives;

    /// Notes that `core` writes the line at device address `line` through its data cache. If
    /// another core has done so since the last synchronisation, the task ends: whole lines are
    /// written back. `place` is the line's first byte in memory.
    void ClaimScalarLine(const Core& core, uint64_t line, uintptr_t place);
    /// Notes a synchronisation that may order scalar writes of different cores. The caller holds
    /// the lock.
    void NoteSync() { ++syncEpoch_; }

    /// Wakes the workers, so that they look for tasks again. Lock held.
    void NoteChange() {
        ++epoch;
        idle = 0;
        changed.notify_all();
    }
    bool Over() const { return stop ? running == 0 : finished == order.size(); }
    bool CanStart() const {
        return !stop && next < order.size() && (active < maxActive || startOutOfTurn_);
    }
    /// Ends the launch, whose error is known. The caller holds the lock, as for all functions
    /// below.
    void End() {
        stop = true;
        NoteChange();
    }
    /// Adds a failure. The launch goes on as long as a lower core may fail, too, because the
    /// reported error must not depend on which core fails first.
    void AddFailure(const Core& core, bool timeLimit, std::string text);
    /// Call this when `core` has ended, with or without an error.
    void NoteEnd(const Core& core);
    /// Returns the failure to report: the failure of the lowest core; failures that a clock has
    /// found come last.
    const Failure* FirstFailure() const;
    /// Handles a standstill: every core that has not ended waits, and no other core will start.
    void ResolveStandstill();
    /// Returns the cores that are not among `cores`: of both kinds, or only vector cores.
    std::vector<uint32_t> OthersThan(const std::vector<uint32_t>& cores, bool aivOnly) const;
    CoreKind NextKind() const { return shape.KindOf(order[next]); }
    std::unique_ptr<Task> MakeTask(std::unique_ptr<CoreStorage> storage);
    /// Adds the task of the next core to the launch.
    Task* Start(std::unique_ptr<Task> task);
    /// Returns the modelled device address. Outside of all ranges, the addresses continue those of
    /// the nearest range.
    uint64_t DeviceAddress(uintptr_t address) const;
    const GmRange* NearestRange(uintptr_t address) const;
    bool IsMix() const { return kind != KernelKind::AivOnly && kind != KernelKind::AicOnly; }
    /// Returns the bytes of each memory that the cores may use.
    MemorySizes MemoryBytes() const;
    bool HasSyncHardware() const { return IsMix() || spec.coresMayMeet; }

    /// Number of physical cores: blocks beyond them wait for a core, as on the chip.
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

    std::map<uint32_t, AtomicLog> endedAtomics_;  ///< one entry for each core
    uint32_t appliedBelow_ = 0;  ///< the logs of all lower cores are applied to memory
    uint64_t pendingAtomicBytes_ = 0;
    std::vector<bool> ended_;  ///< one entry for each core
    bool startOutOfTurn_ = false;
    std::vector<AtomicRead> atomicReads_;
    std::map<uint64_t, LineClaim> lineClaims_;
    uint64_t syncEpoch_ = 0;

    void BuildGmRanges();
    /// `allocations` is everything but the system workspace, sorted. The allocation of a range
    /// decides its device address, so that views keep their offset.
    void AssignDeviceAddresses(std::vector<GmRange> allocations, GmRange system);
    std::string DescribeWaiters() const;
    std::string DescribeNeed(const Awaited& awaited) const;
    void ReportDeadlock();
    Task* FindLive(uint32_t coreIdx) const;
    /// Applies a log to memory; if the memory no longer exists, the launch fails.
    void PutIntoMemory(uint32_t coreIdx, AtomicLog& log);
    void ApplyAtomicsUpTo(uint32_t coreIdx);
    /// Empties the logs for which cores wait; returns false if no core does.
    bool MakeRoomForAtomics();
};

/// The 16 MiB that the runtime keeps for the library (GetSysWorkSpacePtr): the same for every
/// launch.
TWIN_API uintptr_t SystemWorkspace(uint64_t bytes);

/// "core 7 AIV, block 3 of 8" and the source line of the call being executed.
std::string DescribePlace(const Core& core);

}  // namespace twin
