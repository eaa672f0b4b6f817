// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_CORE_LAUNCH_STATE_H
#define TWIN_CORE_LAUNCH_STATE_H

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/cross_core.h"
#include "core/launch.h"
#include "core/observer.h"
#include "core/task.h"

namespace twin {

/// Base of what the cores of one block share; a launch keeps it and knows no more about it.
struct BlockShared {
    virtual ~BlockShared() = default;
};

/// Why a task ended badly.
struct Failure {
    uint32_t coreIdx = UINT32_MAX;
    CoreKind kind = CoreKind::Aiv;
    std::string text;
};

/// Everything one launch shares between its cores and workers.
class LaunchState {
public:
    LaunchState(const LaunchSpec& spec, const SocInfo& soc, KernelKind kind);

    const LaunchSpec& spec;
    const SocInfo& soc;
    const KernelKind kind;
    const BlockShape shape;   ///< cores of one block
    std::vector<GmRange> gm;  ///< sorted, disjoint
    std::vector<std::unique_ptr<Observer>> observers;
    std::atomic<bool> stop{false};  ///< cancelled: tasks end at their next instruction

    // --- scheduling, guarded by `mutex` ---
    std::mutex mutex;
    std::condition_variable changed;
    uint64_t epoch = 0;  ///< counts changes that may wake somebody
    uint32_t workers = 1;
    uint32_t idle = 0;     ///< workers that found nothing to do in this epoch
    uint32_t running = 0;  ///< tasks that are on a worker right now
    uint32_t active = 0;   ///< tasks started and not ended
    uint32_t finished = 0;
    std::vector<uint32_t> order;  ///< cores, all of a block behind each other
    size_t next = 0;
    std::vector<Failure> failures;
    bool failed = false;
    uint64_t gmReadBytes = 0;
    uint64_t gmWriteBytes = 0;
    std::list<std::unique_ptr<Task>> tasks;  ///< started and not ended; whoever is idle takes one
    std::list<Task*> live;                   ///< the same, in the order they started

    // --- hard barriers: over the vector cores, and over all cores; guarded by `mutex` ---
    struct Barrier {
        uint64_t generation = 0;
        uint32_t arrived = 0;
    };
    Barrier aivBarrier;
    Barrier allBarrier;

    // --- atomic copies that wait for a full synchronisation; logs guarded by `mutex` ---
    std::atomic<uintptr_t> atomicsLow{UINTPTR_MAX};  ///< bounds of what all logs cover
    std::atomic<uintptr_t> atomicsHigh{0};
    bool MayHoldAtomics(uintptr_t address, uint64_t bytes) const {
        return address < atomicsHigh.load(std::memory_order_relaxed) &&
               atomicsLow.load(std::memory_order_relaxed) < address + bytes;
    }
    void NoteAtomics(uintptr_t address, uint64_t bytes);
    /// Another core that has copied atomically to the bytes and not told anybody, or the core
    /// itself. Lock held, as for the next four.
    uint32_t OtherAdder(const Core& core, uintptr_t address, uint64_t bytes) const;
    /// Another core that has read its own atomic copies there.
    uint32_t OtherReader(const Core& core, uintptr_t address, uint64_t bytes) const;
    /// Puts what `core` may see of the logs into memory, in (block, sub-block, program) order.
    void ApplyPublished(Core& core, uintptr_t address, uint64_t bytes);
    void NoteAtomicRead(const Core& core, uintptr_t address, uint64_t bytes);
    void ForgetAtomicReads(const Core& core);
    /// Applies everything in (block, sub-block, program) order. Lock held, every core parked or
    /// ended.
    void ApplyAtomics();
    /// Takes over the log of a core that has ended. Lock held.
    void KeepAtomics(Core& core);

    // --- flags between cores, guarded by `mutex` ---
    CrossCoreFlags crossFlags;

    // --- made by the first core of a block that needs it, guarded by `mutex` ---
    std::map<uint32_t, std::unique_ptr<BlockShared>> blockShared;

    /// Notes that `core` writes a line of global memory through its data cache; ends the task when
    /// another core did so since the last synchronisation: whole lines are written back.
    void ClaimScalarLine(const Core& core, uintptr_t line);
    /// A synchronisation that may order scalar writes of different cores. Lock held.
    void NoteSync() { ++syncEpoch_; }

    /// Wakes workers to look again. Lock held.
    void NoteChange() {
        ++epoch;
        idle = 0;
        changed.notify_all();
    }
    bool Over() const { return failed || stop ? running == 0 : finished == order.size(); }
    bool CanStart() const { return !failed && !stop && next < order.size() && active < maxActive; }
    void AddFailure(const Core& core, std::string text);
    /// The failure to report: the one of the lowest core, so that it does not depend on timing.
    const Failure* FirstFailure() const;
    void ReportDeadlock();
    CoreKind NextKind() const { return shape.KindOf(order[next]); }
    std::unique_ptr<Task> NextTask(std::unique_ptr<CoreStorage> storage);
    bool HasSyncHardware() const {
        return kind != KernelKind::AivOnly && kind != KernelKind::AicOnly;
    }

    uint32_t maxActive;  ///< physical cores: blocks beyond them wait for a core, as on the chip

private:
    struct EndedLog {
        uint32_t coreIdx;
        AtomicLog log;
    };
    struct AtomicRead {
        uint32_t coreIdx;
        uintptr_t address;
        uint64_t bytes;
    };
    struct LineClaim {
        uint32_t coreIdx;
        uint64_t epoch;
    };

    std::vector<EndedLog> endedAtomics_;
    std::vector<AtomicRead> atomicReads_;
    std::map<uintptr_t, LineClaim> lineClaims_;
    uint64_t syncEpoch_ = 0;

    void BuildGmRanges();
    std::string DescribeWaiters() const;
};

/// The 16 MiB that the runtime keeps for the library (GetSysWorkSpacePtr): the same for every
/// launch.
TWIN_API uintptr_t SystemWorkspace(uint64_t bytes);

/// "core 7 AIV, block 3 of 8" and the source line of the call being executed.
std::string DescribePlace(const Core& core);

}  // namespace twin

#endif  // TWIN_CORE_LAUNCH_STATE_H
