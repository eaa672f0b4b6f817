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

/// Why a task ended badly.
struct Failure {
    uint32_t block = UINT32_MAX;
    uint32_t subBlock = 0;
    bool timeout = false;
    std::string text;
};

/// Everything one launch shares between its cores and workers.
class LaunchState {
public:
    LaunchState(const LaunchSpec& spec, const SocInfo& soc, KernelKind kind);

    const LaunchSpec& spec;
    const SocInfo& soc;
    const KernelKind kind;
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
    std::vector<uint32_t> order;
    size_t next = 0;
    std::vector<Failure> failures;
    bool failed = false;
    uint64_t gmReadBytes = 0;
    uint64_t gmWriteBytes = 0;
    std::list<Task*> live;  ///< started and not ended, for reports and the watchdog

    // --- hard barrier over all cores of the launch, guarded by `mutex` ---
    uint64_t barrierGeneration = 0;
    uint32_t barrierArrived = 0;

    // --- atomic copies that wait for a full synchronisation; logs guarded by `mutex` ---
    std::atomic<uint32_t> pendingAtomics{0};  ///< logs that are not empty
    /// Another core that has copied atomically to the bytes since the last synchronisation, or the
    /// core's own block. Lock held, as for the next three.
    uint32_t OtherAdder(const Core& core, uintptr_t address, uint64_t bytes) const;
    /// Another core that has read its own atomic copies there.
    uint32_t OtherReader(const Core& core, uintptr_t address, uint64_t bytes) const;
    void NoteAtomicRead(const Core& core, uintptr_t address, uint64_t bytes);
    void ForgetAtomicReads(const Core& core);
    /// Applies everything in (block, sub-block, program) order. Lock held, every core parked or
    /// ended.
    void ApplyAtomics();
    /// Takes over the log of a core that has ended. Lock held.
    void KeepAtomics(Core& core);

    // --- flags between cores, guarded by `mutex` ---
    CrossCoreFlags crossFlags;

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
    void AddFailure(const Core& core, bool timeout, std::string text);
    /// The failure to report: the one of the lowest core, so that it does not depend on timing.
    const Failure* FirstFailure() const;
    void ReportDeadlock();
    std::unique_ptr<Task> NextTask(std::unique_ptr<CoreStorage> storage);

    uint32_t maxActive;  ///< physical cores: blocks beyond them wait for a core, as on the chip

private:
    struct EndedLog {
        uint32_t block;
        uint32_t subBlock;
        AtomicLog log;
    };
    struct AtomicRead {
        uint32_t block;
        uintptr_t address;
        uint64_t bytes;
    };
    struct LineClaim {
        uint32_t block;
        uint64_t epoch;
    };

    std::vector<EndedLog> endedAtomics_;
    std::vector<AtomicRead> atomicReads_;
    std::map<uintptr_t, LineClaim> lineClaims_;
    uint64_t syncEpoch_ = 0;

    void BuildGmRanges();
    std::string DescribeWaiters() const;
};

/// "core 3 AIV, block 3" and the source line of the call being executed.
std::string DescribePlace(const Core& core);

}  // namespace twin

#endif  // TWIN_CORE_LAUNCH_STATE_H
