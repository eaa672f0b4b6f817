// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "core/observer.h"
#include "hazard/finding.h"
#include "hazard/inbox.h"
#include "hazard/replay.h"

namespace twin::hazard {

class CoreChecker;

/// Judges what the cores of a launch do to global memory together. The replay begins when the
/// lowest cores have much behind them, and then goes on whenever a core has something to hand over;
/// of a short launch at its end. What it finds is the same.
class Between {
public:
    /// Records of a core between two turns of the replay.
    static constexpr uint32_t kTurn = 1U << 14;

    explicit Between(const LaunchInfo& info);

    /// Before the core starts.
    void Add(const CoreChecker* core);

    // --- on the core's own thread ---
    /// Whether cores shall hand over what they have when they meet others.
    bool Runs() const { return runs_.load(std::memory_order_acquire); }
    void Hand(CoreChecker* core, uint32_t client);
    void Turn(CoreChecker* core);
    /// Without an error.
    void Ended(CoreChecker* core);

    // --- when all have stopped ---
    /// Whether the replay may have begun when a core fails that the launch then ends with: so long
    /// is what those up to it have recorded. It has then seen what depends on the schedule.
    bool IsLong(const std::vector<std::unique_ptr<CoreChecker>>& cores) const;
    /// Judges these cores, in their order; takes back what they put in order.
    void Finish(const std::vector<std::unique_ptr<CoreChecker>>& cores);
    Findings& Found() { return found_; }
    const std::vector<const CoreChecker*>& Cores() const { return checkers_; }

private:
    /// Core, client and place in the program of both accesses, and where they meet. Of several
    /// clashes at two lines the lowest is told of, so that it is the same one on every schedule.
    using Place = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint64_t>;

    /// `all`: with the clients that cube cores may come to work for.
    void Begin(bool all);
    bool Count(CoreChecker* core, bool ended);
    void Put(CoreChecker* core, uint32_t client, bool all);
    void PutAll(CoreChecker* core);
    void Judge();
    void Wait(const CoreChecker& core);
    uint32_t NumberOf(uint32_t core, uint32_t client) const;
    Site SiteOf(const Mark& mark);
    void Note(const Clash& clash);
    Finding Describe(const Clash& clash, const Site& first, const Site& second) const;

    const BlockShape shape_;
    const uint32_t count_;  ///< of cores
    const std::vector<GmRange> gm_;

    mutable std::mutex mutex_;                  // of what follows
    std::vector<const CoreChecker*> checkers_;  ///< by core, of those that have started
    std::vector<uint64_t> lengths_;             ///< by core, as far as was told
    std::vector<CoreChecker*> ended_;           ///< by core
    uint32_t firstOpen_ = 0;                    ///< the lowest that has not ended
    uint64_t endedLength_ = 0;                  ///< of those below
    std::vector<std::vector<Site>> sites_;      ///< by core

    std::atomic<bool> runs_{false};
    std::vector<Part> parts_;
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> clients_;  ///< numbers of their parts
    std::unique_ptr<Inbox> inbox_;

    std::mutex replaying_;  // of what follows
    std::unique_ptr<Replay> replay_;
    std::map<std::pair<uint32_t, size_t>, uint64_t> known_;  ///< by core and finding: not to be
    Findings found_;
    std::vector<Place> places_;
    std::atomic<uint64_t> done_{0};            ///< how far the replay has come
    std::atomic<uint64_t> still_{UINT64_MAX};  ///< where somebody has waited for it in vain
};

}  // namespace twin::hazard
