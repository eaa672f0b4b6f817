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

/// A core, or the work of a cube core for one client: only the client's messages order that work,
/// so it counts as a core of its own.
struct LogicalCore {
    uint32_t core = 0;    ///< number of the core on which it runs
    uint32_t client = 0;  ///< number of the client, from 1; 0: the core's own work
};

/// The vector clocks of the logical cores of a launch. All cores come first, in their order.
class LaunchClocks {
public:
    explicit LaunchClocks(std::vector<LogicalCore> cores);

    uint32_t Count() const { return static_cast<uint32_t>(cores_.size()); }
    const LogicalCore& At(uint32_t core) const { return cores_[core]; }
    /// Returns the other logical cores on the same core that are Together with it.
    const std::vector<uint32_t>& Around(uint32_t core) const { return around_[core]; }
    /// Returns true if they are one core, which judges its own accesses, or a core and its work for
    /// a client.
    bool Together(uint32_t one, uint32_t other) const {
        return one == other || (cores_[one].core == cores_[other].core &&
                                (cores_[one].client == 0 || cores_[other].client == 0));
    }

    const SharedClock& Of(uint32_t core) const { return clocks_[core]; }
    const SharedClock& Nothing() const { return nothing_; }
    /// Returns what the logical core knows of the pipes of the core that it runs on.
    Clock Own(uint32_t core) const;
    void Acquire(uint32_t core, const SharedClock& clock) {
        clocks_[core] = Joined(clocks_[core], clock);
    }
    /// Returns what the core releases when so much has ended on its pipes.
    ReleaseClock Release(uint32_t core, const Clock& ended) const;

private:
    const std::vector<LogicalCore> cores_;
    std::vector<std::vector<uint32_t>> around_;
    SharedClock nothing_;
    std::vector<SharedClock> clocks_;
};

/// The objects that cores release and acquire (CoreSync).
class SyncObjects {
public:
    /// Returns the cores that have waited for the release.
    std::vector<uint32_t> Release(const CoreSync& sync, ReleaseClock release);
    /// Returns the clock that the core acquires: `nothing` if it waits for no release, nullptr if
    /// one is missing; the core then waits.
    SharedClock Acquire(const CoreSync& sync, uint32_t core, const SharedClock& nothing);

private:
    struct Member {
        std::deque<ReleaseClock> releases;
        uint64_t forgotten = 0;  ///< number of releases that were dropped
        std::vector<uint32_t> waiting;
    };
    /// Releases that several cores wait for.
    struct Round {
        uint32_t first = 0;
        uint32_t count = 0;
        uint64_t number = 0;
        SharedClock clock;
        uint32_t taken = 0;  ///< number of cores that have taken the release
    };
    struct Object {
        std::vector<Member> members;
        std::unordered_map<uint32_t, uint32_t> releases;  ///< number of releases of each core
        uint32_t taken = 0;  ///< number of releases that a core has waited for
        Round latest;
    };

    /// Returns the number of the release that the core waits for; below 0 for none.
    static int64_t RoundOf(Object& object, const CoreSync& sync, uint32_t core);
    static SharedClock Join(Object& object, const CoreSync& sync, uint64_t round);
    static void Forget(Object& object, const CoreSync& sync, uint64_t round);

    std::unordered_map<uint64_t, Object> objects_;
};

/// The clocks of flags between cores; most launches use none.
class CrossFlagClocks {
public:
    CrossFlagClocks(BlockShape shape, uint32_t cores) : shape_(shape), cores_(cores) {}

    /// A core sets a flag; returns the cores whose counter goes up.
    std::vector<uint32_t> Set(uint32_t core, int8_t mode, int8_t flag, ReleaseClock release);
    /// Returns the clock that a core acquires when it waits; nullptr if its counter is 0.
    SharedClock Wait(uint32_t core, int8_t flag);

private:
    struct Flags {
        std::deque<ReleaseClock> sent[3][CrossCoreFlags::kFlags];
        std::deque<SharedClock> received[CrossCoreFlags::kFlags];
    };

    const BlockShape shape_;
    const uint32_t cores_;
    std::vector<Flags> flags_;  ///< flags of each core
};

/// An access of a logical core to global memory.
struct CoreAccess {
    uint32_t core = 0;
    Access access;
    bool write = false;
    Cached cached = Cached::No;
    uint32_t scalarEpoch = 0;
    bool word = false;
};

/// A line that a core has published, and the clock that other cores acquire if they find it.
struct ReleasedLine {
    PublishedLine what;
    ReleaseClock release;
};

/// Words of global memory that some cores publish and others poll. The replay derives from the
/// values which core has read whose word, so the result is the same on every schedule.
class WordHandover {
public:
    explicit WordHandover(size_t cores) : cores_(cores) {}

    /// Cores will publish these lines; the replay comes to them later.
    void Announce(const std::vector<AnnouncedLine>& lines);
    /// Returns the cores that wait for a word.
    std::vector<uint32_t> Publish(const PublishedLine& what, ReleaseClock release);
    void WaitForWord(uint32_t core) { waiting_.push_back(core); }
    /// Returns the line that the poll has read, among those published since the core's previous
    /// poll; nullptr if there is none.
    const ReleasedLine* Find(uint32_t core, const Poll& poll);
    /// Returns true if another core has announced what the poll reads.
    bool Comes(uint32_t core, const Poll& poll) const;
    /// Returns true if the core has found the line before; NoteFound notes it.
    bool Found(uint32_t core, const ReleasedLine& line) const;
    void NoteFound(uint32_t core, const ReleasedLine& line);
    /// Returns true for unordered accesses to a word that are no race: one core polls it, or had
    /// found the other's value before it wrote.
    bool HandedOver(const CoreAccess& before, const CoreAccess& now) const;

private:
    struct Core {
        size_t published = 0;
        /// Number of the lines that the core has read up to, by word.
        std::map<uint64_t, size_t> readUpTo;
        /// Cores whose words this core has found, with their scalar epochs.
        std::set<std::pair<uint32_t, uint32_t>> found;
    };

    std::vector<Core> cores_;
    std::map<uint64_t, std::vector<ReleasedLine>> published_;  ///< published words of each line
    /// Lines that are still to be replayed, by address.
    std::map<uint64_t, std::deque<AnnouncedLine>> announced_;
    std::vector<uint32_t> waiting_;
};

}  // namespace twin::hazard
