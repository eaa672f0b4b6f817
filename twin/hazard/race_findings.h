// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "hazard/finding.h"
#include "hazard/replay.h"

namespace twin::hazard {

/// The findings of races between cores, one per pair of source lines. If several races have the
/// same lines, the finding describes the race with the lowest `Place`, on any thread schedule.
class RaceFindings {
public:
    /// Returns true if a cube core made these accesses for equal Matmul requests of its two vector
    /// cores, or if one of them is a read by a vector core that made an equal request before.
    using SameRequest = std::function<bool(const CoreAccess&, const CoreAccess&)>;

    using CallersOf = std::function<std::vector<Location>(uint32_t core, uint32_t site)>;

    RaceFindings(BlockShape shape, std::vector<GmRange> gm, uint32_t cores)
        : shape_(shape), gm_(std::move(gm)), sites_(cores) {}

    /// Adds the new sites (calls that access memory) of a core, on the core's own thread.
    void AddSites(uint32_t core, const std::vector<Site>& sites);
    /// Adds a race between an access of `from` and an access of `to`.
    void Add(const Race& race, const LogicalCore& from, const LogicalCore& to);
    /// Decides for each finding which of its accesses the kernel needs first, and names the missing
    /// synchronisation. Call it after the replay of all logs.
    void Direct(const OrderedSites& ordered, const SameRequest& same);
    /// Adds to each finding the callers of the functions that contain the accesses. `callersOf`
    /// returns the callers for a site of a core. One log entry may stand for accesses of several
    /// callers, so all callers of the site are added.
    void NameCallers(const CallersOf& callersOf);
    Findings& Found() { return found_; }

private:
    /// Sort key of a race: core, client and sequence number of both accesses, and the address.
    using Place = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint64_t>;

    /// The race that a finding describes, and the cores of its first and its second access.
    struct Described {
        Race race;
        LogicalCore from;
        LogicalCore to;
        Place place;
        /// Races at these lines with the work of a cube core for a Matmul client, in one block.
        std::vector<std::pair<CoreAccess, CoreAccess>> served;
        uint64_t others = 0;  ///< number of further races at these lines
    };
    static constexpr size_t kMostServed = 4096;

    Site SiteOf(uint32_t core, const Access& access);
    Finding Describe(const Race& race, const LogicalCore& from, const LogicalCore& to);
    std::optional<bool> TextTurns(const Described& race) const;
    bool Overwrites(const OrderedSites& ordered, const CoreAccess& write, const CoreAccess& read,
                    uint32_t core) const;
    bool Turns(const OrderedSites& ordered, const Described& described) const;
    void Direct(const OrderedSites& ordered, Described* race, Finding* finding) const;

    const BlockShape shape_;
    const std::vector<GmRange> gm_;
    std::mutex mutex_;
    std::vector<std::vector<Site>> sites_;  ///< sites of each core, protected by the mutex
    Findings found_;
    std::vector<Described> described_;  ///< the race that each finding describes
};

}  // namespace twin::hazard
