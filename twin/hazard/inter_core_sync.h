// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/cross_core.h"
#include "hazard/clocks.h"
#include "hazard/core_log.h"

namespace twin::hazard {

/// A core, or the work of a cube core for one Matmul client (a vector core). Only the client's
/// messages order this work, so the checker handles it like a separate core.
struct LogicalCore {
    uint32_t core = 0;    ///< number of the core on which this logical core runs
    uint32_t client = 0;  ///< number of the client, from 1; 0: the core's own work
};

/// The vector clocks of a launch's logical cores: first all cores, then the work for Matmul
/// clients.
class LaunchClocks {
public:
    explicit LaunchClocks(std::vector<LogicalCore> cores);

    uint32_t Count() const { return static_cast<uint32_t>(cores_.size()); }
    const LogicalCore& At(uint32_t core) const { return cores_[core]; }
    /// Returns all other logical cores `other` for which Together(core, other) is true.
    const std::vector<uint32_t>& Around(uint32_t core) const { return around_[core]; }
    /// Returns true if the accesses of these logical cores need no comparison: both numbers are
    /// equal, or they mean a core and this core's work for a Matmul client.
    bool Together(uint32_t one, uint32_t other) const {
        return one == other || (cores_[one].core == cores_[other].core &&
                                (cores_[one].client == 0 || cores_[other].client == 0));
    }

    const SharedClock& Of(uint32_t core) const { return clocks_[core]; }
    const SharedClock& Nothing() const { return nothing_; }
    /// Returns the logical core's clock for the pipes of the core that it runs on.
    Clock Own(uint32_t core) const;
    void Acquire(uint32_t core, const SharedClock& clock) {
        clocks_[core] = Joined(clocks_[core], clock);
    }
    /// Returns the clock that the core passes to waiting cores after the instructions in `ended`.
    ReleaseClock Release(uint32_t core, const Clock& ended) const;

private:
    const std::vector<LogicalCore> cores_;
    std::vector<std::vector<uint32_t>> around_;
    SharedClock nothing_;
    std::vector<SharedClock> clocks_;
};

/// The objects at which cores signal each other (release) and wait (acquire); see CoreSync.
class SyncObjects {
public:
    /// Adds a release, and returns the cores that have waited for it.
    std::vector<uint32_t> Release(const CoreSync& sync, ReleaseClock release);
    /// Returns the clock that the core acquires; nullptr if a release is missing and the core must
    /// wait. Returns `nothing` if the core needs no release.
    SharedClock Acquire(const CoreSync& sync, uint32_t core, const SharedClock& nothing);

private:
    struct Member {
        std::deque<ReleaseClock> releases;
        uint64_t forgotten = 0;  ///< number of releases that were dropped
        std::vector<uint32_t> waiting;
    };
    /// Releases with the same number, one per core. Several cores acquire the joined clock of all.
    struct Round {
        uint32_t first = 0;
        uint32_t count = 0;
        uint64_t number = 0;
        SharedClock clock;
        uint32_t taken = 0;  ///< number of cores that have acquired the clock
    };
    struct Object {
        std::vector<Member> members;
        std::unordered_map<uint32_t, uint32_t> releases;  ///< number of releases of each core
        uint32_t taken = 0;                               ///< number of acquires with Round::Next
        Round latest;
    };

    /// Returns the number of the release that the core waits for; negative if it waits for none.
    static int64_t RoundOf(Object& object, const CoreSync& sync, uint32_t core);
    static SharedClock Join(Object& object, const CoreSync& sync, uint64_t round);
    static void Forget(Object& object, const CoreSync& sync, uint64_t round);

    std::unordered_map<uint64_t, Object> objects_;
};

/// The clocks of cross-core flags (CrossCoreSetFlag and CrossCoreWaitFlag).
class CrossFlagClocks {
public:
    CrossFlagClocks(BlockShape shape, uint32_t cores) : shape_(shape), cores_(cores) {}

    /// Sets the flag on a core, and returns the cores whose counters this raises.
    std::vector<uint32_t> Set(uint32_t core, int8_t mode, int8_t flag, ReleaseClock release);
    /// Waits for the flag on a core. Returns the acquired clock, or nullptr if the counter is 0.
    SharedClock Wait(uint32_t core, int8_t flag);

private:
    struct Flags {
        std::deque<ReleaseClock> sent[3][CrossCoreFlags::kFlags];
        std::deque<SharedClock> received[CrossCoreFlags::kFlags];
    };

    const BlockShape shape_;
    const uint32_t cores_;
    std::vector<Flags> flags_;  ///< flags of each core; empty before the first set
};

/// An access of a logical core to global memory.
struct CoreAccess {
    uint32_t core = 0;
    Access access;
    bool write = false;
    Cached cached = Cached::No;
    uint32_t scalarEpoch = 0;
    bool word = false;
    uint32_t round = 0;  ///< number of the core's earlier log entries that have the same call
};

/// A line of GM that a core has published, and the clock that others acquire by reading it.
struct ReleasedLine {
    PublishedLine what;
    ReleaseClock release;
};

/// Tracks words of global memory by which cores synchronise: one core writes (publishes) a word,
/// others read it in a loop (poll). The value that a poll has read identifies the write, so the
/// result does not depend on the thread schedule.
class WordHandover {
public:
    explicit WordHandover(size_t cores) : cores_(cores) {}

    /// Adds lines that cores have already written to GM, but the replay has not reached the writes.
    void Announce(const std::vector<AnnouncedLine>& lines);
    /// Adds a published line, and returns the cores that wait for any word.
    std::vector<uint32_t> Publish(const PublishedLine& what, ReleaseClock release);
    void WaitForWord(uint32_t core) { waiting_.push_back(core); }
    /// Returns the published line whose value the poll has read; nullptr if there is none. Ignores
    /// lines that are older than the line which this core's previous poll of the word has found.
    const ReleasedLine* Find(uint32_t core, const Poll& poll);
    /// Returns true if another core will still publish the value that the poll reads.
    bool Comes(uint32_t core, const Poll& poll) const;
    /// Returns true if NoteFound() was called for this core and line.
    bool Found(uint32_t core, const ReleasedLine& line) const;
    void NoteFound(uint32_t core, const ReleasedLine& line);
    /// Returns true if two unordered accesses to a word are no race: one access writes the word and
    /// the other polls the word, or the core of `now` has read the value that `before` wrote.
    bool HandedOver(const CoreAccess& before, const CoreAccess& now) const;

private:
    struct Core {
        size_t published = 0;
        /// By address of a word: index of the published line at which the next search begins.
        std::map<uint64_t, size_t> readUpTo;
        /// Core and scalarEpoch of each published line that this core has read.
        std::set<std::pair<uint32_t, uint32_t>> found;
    };

    std::vector<Core> cores_;
    std::map<uint64_t, std::vector<ReleasedLine>> published_;  ///< published lines by address
    /// By address: lines whose publication the replay of the logs has not reached yet.
    std::map<uint64_t, std::deque<AnnouncedLine>> announced_;
    std::vector<uint32_t> waiting_;
};

}  // namespace twin::hazard
