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
#include "hazard/replay.h"

namespace twin::hazard {

/// Keeps the number of records of each core of a launch, and the logs of the cores that have ended.
class RecordedCores {
public:
    using Segments = std::vector<LogSegment>;  ///< the latest segment of each client

    explicit RecordedCores(uint32_t cores) : lengths_(cores), ended_(cores), segments_(cores) {}

    uint32_t Cores() const { return static_cast<uint32_t>(lengths_.size()); }
    void Record(uint32_t core, uint64_t length);
    void End(uint32_t core, uint64_t length, Segments segments);
    /// Returns true if the lowest cores that have ended, and the next core, have recorded `length`
    /// entries. A core that fails later has not ended, so the cores up to it have recorded at least
    /// as many.
    bool HaveRecorded(uint64_t length) const;
    bool HasEnded(uint32_t core) const { return ended_[core]; }
    Segments Take(uint32_t core) { return std::exchange(segments_[core], {}); }

private:
    std::vector<uint64_t> lengths_;  ///< length of each core's logs at the latest hand-over
    std::vector<bool> ended_;
    std::vector<Segments> segments_;
    uint32_t firstOpen_ = 0;    ///< the lowest core that has not ended
    uint64_t endedLength_ = 0;  ///< sum of the lengths of the cores below
};

/// Finds races between the cores of a launch in global memory. The replay of a long launch begins
/// when the lowest cores have many records, and goes on whenever a core hands entries over. The
/// replay of a short launch begins at the end. Both find the same.
class InterCoreChecker {
public:
    /// The rest of the logs of a core that the replay has not got.
    struct CoreSegments {
        uint32_t core = 0;
        RecordedCores::Segments segments;
    };
    /// The number of times that other cores have ordered a finding, by core and finding.
    using OrderedCounts = std::map<std::pair<uint32_t, size_t>, uint64_t>;

    explicit InterCoreChecker(const LaunchInfo& info);

    // --- on the core's own thread ---
    /// Returns true if cores shall hand over their logs when they meet others.
    bool Replays() const { return replays_.load(std::memory_order_acquire); }
    /// Notes the length of the core's logs, and returns the same.
    bool Count(uint32_t core, uint64_t length);
    void AddSites(uint32_t core, const std::vector<Site>& sites) { found_.AddSites(core, sites); }
    /// Hands a part of a log over; returns how much of that log the replay has not come to.
    size_t Put(uint32_t core, uint32_t client, LogSegment segment);
    /// Runs a part of the replay on the thread of this core.
    void Advance(uint32_t core);
    /// Notes that the core has ended without an error.
    void Ended(uint32_t core, uint64_t length, RecordedCores::Segments segments);

    // --- when all have stopped ---
    /// Returns true if the replay may have begun before the launch failed, since the cores up to
    /// the failed one have recorded so much. It has then seen what depends on the schedule.
    static bool IsLong(uint64_t length);
    /// Runs the rest of the replay with the rest of the logs of `cores`, in their order.
    const OrderedCounts& Finish(std::vector<CoreSegments> cores);
    Findings& Found() { return found_.Found(); }

private:
    /// Creates the replay for the cores and these clients of cube cores.
    void Begin(const std::vector<LogicalCore>& clients);
    std::vector<LogicalCore> PossibleClients() const;
    /// Returns the number of the logical core; one past the last if there is none.
    uint32_t NumberOf(uint32_t core, uint32_t client) const;
    /// Hands over the rest of the core's logs.
    void PutAll(uint32_t core, RecordedCores::Segments segments);
    void RunReplay();
    void Wait(uint32_t core);

    const BlockShape shape_;
    std::mutex mutex_;
    RecordedCores cores_;  ///< the cores, protected by the mutex
    std::atomic<bool> replays_{false};
    std::vector<LogicalCore> logical_;
    std::mutex replaying_;
    std::unique_ptr<Replay> replay_;
    OrderedCounts ordered_;
    RaceFindings found_;
    std::atomic<uint64_t> done_{0};  ///< number of steps that the replay has made
    std::atomic<uint64_t> still_{
        UINT64_MAX};  ///< number of steps at which the replay could not go on
};

}  // namespace twin::hazard
