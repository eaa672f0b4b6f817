// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "hazard/history.h"
#include "hazard/inter_core_sync.h"

namespace twin::hazard {

/// Two unordered accesses of different cores.
struct Race {
    const char* code;
    const char* kind;
    uint64_t begin;
    uint64_t bytes;
    CoreAccess first;
    CoreAccess second;
    /// firstTold: after the first access, its core signalled the core of the second access, and the
    /// signal came before the second access. But the signal does not cover the pipe of the first
    /// access. secondTold is the same with the two accesses exchanged.
    bool firstTold = false;
    bool secondTold = false;
};

/// Pairs of sites (calls that access memory) on two cores that are at least once in order: both
/// calls accessed the same bytes, and the first access had ended when the second one began.
class OrderedSites {
public:
    void Note(const CoreAccess& first, const CoreAccess& second);
    bool Has(const CoreAccess& first, const CoreAccess& second) const {
        return pairs_.count(Pair(first, second)) != 0;
    }

private:
    static constexpr size_t kMost = size_t{1} << 20;

    using Pair64 = std::pair<uint64_t, uint64_t>;
    struct Hash {
        size_t operator()(const Pair64& pair) const {
            return (pair.first * 31 + pair.second) * 0x9E3779B97F4A7C15ULL;
        }
    };
    static Pair64 Pair(const CoreAccess& first, const CoreAccess& second) {
        const auto site = [](const CoreAccess& access) {
            return uint64_t{access.core} << 32 | access.access.site;
        };
        return {site(first), site(second)};
    }

    std::unordered_set<Pair64, Hash> pairs_;
    std::array<Pair64, 1024> recent_ = {};  ///< latest pairs, indexed by their hash
};

/// Stores for each byte of global memory the accesses that may race with later accesses. Compares
/// each new access with the stored accesses.
class RaceDetector {
public:
    RaceDetector(size_t cores, std::function<void(const Race&)> report)
        : report_(std::move(report)), lines_(cores), rounds_(cores) {}

    /// Compares an access of the core with earlier accesses of other cores.
    void Check(uint32_t core, const GmAccess& access, const LaunchClocks& clocks,
               const WordHandover& words);
    /// Notes that the core's data cache loads a line.
    void LoadLine(uint32_t core, uint64_t line, const SharedClock& clock) {
        lines_[core][line] = clock;
    }
    const OrderedSites& Ordered() const { return ordered_; }

private:
    using Accesses = std::vector<CoreAccess>;

    Change Compare(const Accesses& before, const CoreAccess& now, const LaunchClocks& clocks,
                   const WordHandover& words, uint64_t begin, const RunEnd& end, Accesses* after);
    void Judge(const CoreAccess& before, const CoreAccess& now, const LaunchClocks& clocks,
               uint64_t begin, const RunEnd& end);
    void JudgeLine(const CoreAccess& write, const CoreAccess& now, uint64_t begin,
                   const RunEnd& end);
    void JudgeUnordered(const CoreAccess& first, const CoreAccess& second,
                        const LaunchClocks& clocks, uint64_t begin, const RunEnd& end);

    uint32_t RoundOf(uint32_t core, const Access& access);

    const std::function<void(const Race&)> report_;
    std::vector<std::map<uint64_t, SharedClock>> lines_;  ///< by core and line: clock of the load
    History<Accesses> memory_;
    OrderedSites ordered_;
    std::vector<std::vector<uint32_t>> rounds_;  ///< by core and site: number of log entries
};

/// Selects the core with which the replay of the logs continues: the lowest ready core. A core is
/// ready if it may be able to continue. At first all cores are ready.
class ReadyCores {
public:
    static constexpr uint32_t kNone = UINT32_MAX;

    explicit ReadyCores(size_t cores);
    void Add(uint32_t core) {
        words_[core / 64] |= uint64_t{1} << core % 64;
        low_ = std::min(low_, size_t{core / 64});
    }
    /// Returns the core with which the replay of the logs continues; kNone if all cores wait.
    uint32_t Current();
    void CurrentWaits() { current_ = kNone; }
    /// Lets the core continue although it waits.
    void Force(uint32_t core) {
        forced_ = core;
        Add(core);
    }
    bool IsForced(uint32_t core) const { return forced_ == core; }
    void EndForce() { forced_ = kNone; }

private:
    std::vector<uint64_t> words_;
    size_t low_ = 0;  ///< no earlier element of words_ has a ready core
    uint32_t current_ = kNone;
    uint32_t forced_ = kNone;
};

/// Processes the logs of all cores in an order that their synchronisation allows, the lowest core
/// first. So the result does not depend on the thread schedule. Stops at an entry that its core
/// has not logged yet. Frees the entries that were processed.
class Replay {
public:
    struct Reports {
        std::function<void(const Race&)> race;
        /// Called for a tentative finding that does not count, because the core knew that the
        /// earlier access had ended.
        std::function<void(const LogicalCore&, const TentativeFinding&)> ordered;
    };

    /// `logical` contains all `cores` of the launch in order, then the work for Matmul clients.
    Replay(BlockShape shape, uint32_t cores, std::vector<LogicalCore> logical, Reports reports);

    // Cores may call Put, End and Behind at any time, from their own threads.
    void Put(uint32_t core, LogSegment segment) { queues_.Put(core, &segment); }
    void End(uint32_t core) { queues_.End(core); }
    size_t Behind(uint32_t core) const { return queues_.Behind(core); }

    /// Processes at most `most` available log entries; returns true if the replay is complete.
    bool Run(uint64_t most = UINT64_MAX);
    /// Returns the number of log entries that were processed.
    uint64_t Done() const { return done_; }
    /// Returns the pairs of sites that the cores' synchronisation has ordered so far.
    const OrderedSites& Ordered() const { return races_.Ordered(); }

private:
    /// The reason why Advance() has stopped.
    enum class Stop : uint8_t {
        Waits,   ///< the core waits for another core, or has ended
        NotYet,  ///< the core has not logged the next entry yet
        Enough,
    };
    enum class Passes : uint8_t { Yes, Waits, NotYet };

    Stop Advance(uint32_t core, uint64_t end);
    Passes Pass(uint32_t core, const Meeting& meeting);
    Passes PassPoll(uint32_t core, const Poll& poll);
    Passes PassAcquire(uint32_t core, const Meeting& meeting);
    Passes PassFlag(uint32_t core, const Meeting& meeting);
    /// Gives the core's log reader the next segment from the queue.
    SegmentQueues::Got Refill(uint32_t core);
    void Decide(uint32_t core, const TentativeFinding& finding);
    /// Calls Decide() for the tentative findings that are left when no core can continue.
    void DecideRest();
    bool Force();
    void MakeReady(uint32_t core);

    SegmentQueues queues_;
    std::vector<LogReader> logs_;  ///< reader of each logical core's log
    ReadyCores ready_;
    uint64_t done_ = 0;
    bool over_ = false;
    LaunchClocks clocks_;
    SyncObjects objects_;
    CrossFlagClocks flags_;
    WordHandover words_;
    RaceDetector races_;
    std::function<void(const LogicalCore&, const TentativeFinding&)> ordered_;
};

}  // namespace twin::hazard
