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

/// Stores the number of records of each core of a launch, and the logs of cores that have ended.
class RecordedCores {
public:
    using Segments = std::vector<LogSegment>;  ///< log segments of a core, by client

    explicit RecordedCores(uint32_t cores) : lengths_(cores), ended_(cores), segments_(cores) {}

    uint32_t Cores() const { return static_cast<uint32_t>(lengths_.size()); }
    void Record(uint32_t core, uint64_t length);
    void End(uint32_t core, uint64_t length, Segments segments);
    /// Returns true if the lowest cores that have ended, and the next core, have logged `length`
    /// records together. If a core fails later, the cores up to it have logged at least that many.
    bool HaveRecorded(uint64_t length) const;
    bool HasEnded(uint32_t core) const { return ended_[core]; }
    Segments Take(uint32_t core) { return std::exchange(segments_[core], {}); }

private:
    std::vector<uint64_t> lengths_;  ///< length of each core's logs at the latest hand-over
    std::vector<bool> ended_;
    std::vector<Segments> segments_;
    uint32_t firstOpen_ = 0;    ///< the lowest core that has not ended
    uint64_t endedLength_ = 0;  ///< sum of the lengths of the cores below firstOpen_
};

/// Finds races between the cores of a launch in global memory. The replay of a long launch begins
/// while the cores run, and continues whenever a core hands over log entries. The replay of a short
/// launch begins at its end. Both find the same races.
class InterCoreChecker {
public:
    /// The part of a core's logs that was not handed over to the replay yet.
    struct CoreSegments {
        uint32_t core = 0;
        RecordedCores::Segments segments;
    };
    /// How often other cores have ordered the accesses of a finding, by core and finding index.
    using OrderedCounts = std::map<std::pair<uint32_t, size_t>, uint64_t>;

    explicit InterCoreChecker(const LaunchInfo& info);

    // --- Called on the core's own thread ---
    /// Returns true if the replay has begun, so that cores hand over their logs.
    bool Replays() const { return replays_.load(std::memory_order_acquire); }
    /// Notes the length of the core's logs; begins the replay if they are long. Returns Replays().
    bool Count(uint32_t core, uint64_t length);
    void AddSites(uint32_t core, const std::vector<Site>& sites) { found_.AddSites(core, sites); }
    /// Hands over a part of a log; returns how many of its entries the replay has not taken yet.
    size_t Put(uint32_t core, uint32_t client, LogSegment segment);
    /// Runs a part of the replay on this core's thread, and waits if the core is far ahead of it.
    void Advance(uint32_t core);
    /// Notes that the core has ended without an error.
    void Ended(uint32_t core, uint64_t length, RecordedCores::Segments segments);

    // --- Called when all cores have stopped ---
    /// Returns true if `length` records are enough for the replay to have begun before the launch
    /// failed. Its findings then depend on the thread schedule.
    static bool IsLong(uint64_t length);
    /// Runs the rest of the replay with the remaining logs of `cores`.
    const OrderedCounts& Finish(std::vector<CoreSegments> cores);
    Findings& Found() { return found_.Found(); }

private:
    /// Creates the replay for all cores and these Matmul clients of cube cores.
    void Begin(const std::vector<LogicalCore>& clients);
    std::vector<LogicalCore> PossibleClients() const;
    /// Returns the number of the logical core; one past the last if there is none.
    uint32_t NumberOf(uint32_t core, uint32_t client) const;
    /// Hands over the core's remaining logs and ends them.
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
    std::atomic<uint64_t> done_{0};  ///< number of steps that the replay has made
    /// Number of steps at which the replay could not continue.
    std::atomic<uint64_t> still_{UINT64_MAX};
};

}  // namespace twin::hazard
