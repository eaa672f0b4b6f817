// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/observer.h"
#include "hazard/race_findings.h"
#include "hazard/replay.h"

namespace twin::hazard {

/// Stores how many entries each core of a launch has logged, and the logs of ended cores.
class RecordedCores {
public:
    using Segments = std::vector<LogSegment>;  ///< log segments of a core, by client (0: own log)

    explicit RecordedCores(uint32_t cores) : lengths_(cores), ended_(cores), segments_(cores) {}

    uint32_t Cores() const { return static_cast<uint32_t>(lengths_.size()); }
    void Record(uint32_t core, uint64_t length);
    void End(uint32_t core, uint64_t length, Segments segments);
    /// Returns true if cores 0 to N have logged `length` entries in total. N is the lowest core
    /// that still runs. A failed core drops only the logs of higher cores, so these entries remain.
    bool HaveRecorded(uint64_t length) const;
    bool HasEnded(uint32_t core) const { return ended_[core]; }
    Segments Take(uint32_t core) { return std::exchange(segments_[core], {}); }

private:
    std::vector<uint64_t> lengths_;  ///< by core: number of log entries at the latest Record()
    std::vector<bool> ended_;
    std::vector<Segments> segments_;
    uint32_t firstOpen_ = 0;    ///< the lowest core that has not ended
    uint64_t endedLength_ = 0;  ///< number of log entries of the cores below firstOpen_
};

/// Finds races between the cores of a launch in global memory, by a replay of their logs. In a long
/// launch the replay runs while the cores run, whenever a core adds log entries. In a short launch
/// it runs at the end. The findings are the same in both cases.
class InterCoreChecker {
public:
    /// The part of a core's logs that was not passed to the replay yet.
    struct CoreSegments {
        uint32_t core = 0;
        RecordedCores::Segments segments;
    };
    /// How often other cores have ordered the accesses of a finding, by core and finding index.
    using OrderedCounts = std::map<std::pair<uint32_t, size_t>, uint64_t>;

    explicit InterCoreChecker(const LaunchInfo& info);

    // --- Called on the core's own thread ---
    /// Returns true if the replay has begun, so that cores must pass their log entries to it.
    bool Replays() const { return replays_.load(std::memory_order_acquire); }
    /// Stores the length of the core's logs. Begins the replay if needed. Returns Replays().
    bool Count(uint32_t core, uint64_t length);
    void AddSites(uint32_t core, const std::vector<Site>& sites) { found_.AddSites(core, sites); }
    /// Passes a part of a log to the replay; returns how many entries of the log are still queued.
    size_t Put(uint32_t core, uint32_t client, LogSegment segment);
    /// Runs a part of the replay on this core's thread, and waits if the core is far ahead of it.
    void Advance(uint32_t core);
    /// Notes that the core has ended without an error.
    void Ended(uint32_t core, uint64_t length, RecordedCores::Segments segments);

    // --- Called when all cores have stopped ---
    /// Returns true if `length` log entries are so many that the replay may have begun before the
    /// launch failed. Then the findings depend on the thread schedule.
    static bool IsLong(uint64_t length);
    /// Runs the rest of the replay of all logs, with the remaining log entries of `cores`.
    const OrderedCounts& Finish(std::vector<CoreSegments> cores);
    /// Decides for each finding which access the kernel needs first, and names the missing
    /// synchronisation. Call it after Finish().
    void Direct(const RaceFindings::SameRequest& same) { found_.Direct(replay_->Ordered(), same); }
    const LogicalCore& Logical(uint32_t number) const { return logical_[number]; }
    void NameCallers(const RaceFindings::CallersOf& callersOf) { found_.NameCallers(callersOf); }
    Findings& Found() { return found_.Found(); }

private:
    /// Creates the replay of the logs of all cores and of the logs for these Matmul clients.
    void Begin(const std::vector<LogicalCore>& clients);
    std::vector<LogicalCore> PossibleClients() const;
    /// Returns the number of the logical core for this core and client; logical_.size() if none.
    uint32_t NumberOf(uint32_t core, uint32_t client) const;
    /// Passes the core's remaining log entries to the replay and ends the core's logs.
    void PutAll(uint32_t core, RecordedCores::Segments segments);
    void RunReplay();
    void Wait(uint32_t core);

    const BlockShape shape_;
    std::mutex mutex_;
    RecordedCores cores_;  ///< protected by mutex_
    std::atomic<bool> replays_{false};
    std::vector<LogicalCore> logical_;
    std::mutex replaying_;
    std::unique_ptr<Replay> replay_;
    OrderedCounts ordered_;
    RaceFindings found_;
    std::atomic<uint64_t> done_{0};  ///< log entries that the replay has processed
    /// Value of done_ at which the replay could not continue.
    std::atomic<uint64_t> still_{UINT64_MAX};
};

}  // namespace twin::hazard
