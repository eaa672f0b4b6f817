// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "hazard/finding.h"
#include "hazard/history.h"
#include "hazard/inter_core_sync.h"

namespace twin::hazard {

/// Two accesses of different cores that nothing orders.
struct Race {
    const char* code;
    const char* kind;
    uint64_t begin;
    uint64_t bytes;
    CoreAccess first;
    CoreAccess second;
};

/// Keeps for each byte of global memory the accesses that may still race with later ones, and
/// compares each new access with them.
class RaceDetector {
public:
    RaceDetector(size_t cores, std::function<void(const Race&)> report)
        : report_(std::move(report)), lines_(cores) {}

    /// Compares an access of the core with earlier ones of others.
    void Check(uint32_t core, const GmAccess& access, const LaunchClocks& clocks,
               const WordHandover& words);
    /// A line of the core's data cache comes in.
    void LoadLine(uint32_t core, uint64_t line, const SharedClock& clock) {
        lines_[core][line] = clock;
    }

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

    const std::function<void(const Race&)> report_;
    std::vector<std::map<uint64_t, SharedClock>>
        lines_;  ///< for each core: clock at which it loaded a line
    History<Accesses> memory_;
};

/// The findings of races between cores, one for two lines of the source. It describes the lowest of
/// several races at two lines, which is the same one on every schedule.
class RaceFindings {
public:
    RaceFindings(BlockShape shape, std::vector<GmRange> gm, uint32_t cores)
        : shape_(shape), gm_(std::move(gm)), sites_(cores) {}

    /// Adds the new sites of a core; called on the core's own thread.
    void AddSites(uint32_t core, const std::vector<Site>& sites);
    /// Adds a race between an access of `from` and one of `to`.
    void Add(const Race& race, const LogicalCore& from, const LogicalCore& to);
    Findings& Found() { return found_; }

private:
    /// The core, client and program order of both accesses, and the address.
    using Place = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint64_t>;

    Site SiteOf(uint32_t core, const Access& access);
    Finding Describe(const Race& race, const Party& first, const Party& second,
                     uint32_t client) const;

    const BlockShape shape_;
    const std::vector<GmRange> gm_;
    std::mutex mutex_;
    std::vector<std::vector<Site>> sites_;  ///< sites of each core, protected by the mutex
    Findings found_;
    std::vector<Place> places_;  ///< place of each finding
};

}  // namespace twin::hazard
