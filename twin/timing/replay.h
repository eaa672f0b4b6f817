// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/cross_core.h"
#include "core/instruction.h"
#include "timing/core_clock.h"
#include "timing/costs.h"
#include "timing/event_queue.h"

namespace twin::timing {

/// Tracks the messages (releases) that cores send to each other through GM, their times, and the
/// cores that wait for messages.
class Releases {
public:
    /// A core that can continue because all releases that it waited for were there at `when`.
    struct Granted {
        uint32_t core;
        Ticks when;
    };

    /// Adds a release of `core` at `when`. Cores that waited only for this release go to `granted`.
    void Add(uint32_t core, const CoreSync& sync, Ticks when, std::vector<Granted>* granted);
    /// Adds a wait of `core`, from `when` on, for the releases that `sync` names; adds the core to
    /// `granted` if all these releases have come.
    void Await(uint32_t core, const CoreSync& sync, Ticks when, std::vector<Granted>* granted);

private:
    struct Wait {
        uint32_t core;
        uint32_t first, count;  ///< waits for `count` cores, from CoreSync::member `first` on
        uint64_t round;
        uint32_t missing;
        Ticks latest;
    };
    using Place = std::pair<uint64_t, uint32_t>;  ///< CoreSync::object, and a member or core number

    /// Returns the number of the release that the core waits for; negative: it does not wait.
    int64_t RoundOf(uint32_t core, const CoreSync& sync);

    std::map<Place, std::vector<Ticks>> times_;    ///< release times, by CoreSync object and member
    std::map<Place, uint32_t> own_;                ///< releases so far, by CoreSync object and core
    std::map<uint64_t, uint32_t> taken_;           ///< Round::Next waits so far, by CoreSync object
    std::map<uint64_t, std::vector<Wait>> waits_;  ///< pending waits, by CoreSync object
};

/// Simulates the programs of a launch on the modelled chip. Blocks beyond the number of cores wait
/// for a free core. GM requests are served in the order of modelled time, so the twin's own threads
/// do not matter.
class Replay : public Chip {
public:
    /// `programs` must be sorted by block; the cube core of a block comes first. `operations` gets
    /// the sums of all instructions. The cores keep the rows of at most `most` instructions. For
    /// `without` and `warm`, see StartupCosts.
    Replay(const SocInfo& soc, const std::vector<const Program*>& programs, Operations& operations,
           uint64_t most, uint32_t without, bool warm);

    MemorySystem& memory() { return memory_; }
    const StartupCosts& costs() const { return costs_; }
    void Run();

    const std::vector<std::unique_ptr<CoreClock>>& cores() const { return cores_; }
    Ticks task() const { return task_; }
    /// Returns a sentence about a core that does not end; empty if all cores have ended.
    const std::string& stuck() const { return stuck_; }

    void Request(CoreClock& core, uint32_t pipe, const Transfer& transfer, Ticks when) override;
    void CrossSet(CoreClock& core, int32_t mode, int32_t flag, Ticks when) override;
    void Arrive(CoreClock& core, uint32_t cores, Ticks when) override;
    void Release(CoreClock& core, const CoreSync& sync, Ticks when) override;
    void Await(CoreClock& core, const CoreSync& sync, Ticks when) override;
    void Polled(uint64_t bytes) override { memory_.CountPolls(bytes); }

private:
    /// A synchronisation point that a group of cores reaches repeatedly. For each core, `times` has
    /// the arrivals that still wait for an arrival of another core.
    struct Meeting {
        std::map<uint32_t, std::deque<Ticks>> times;
    };

    /// Returns the largest number of rows that each core may keep so that all cores together keep
    /// at most `most`.
    uint64_t MostPerCore(uint64_t most) const;
    /// Returns the time of a term of the start.
    Ticks StartTicks(Startup term, const Constant& us) const;
    void StartBlocks(Ticks when);
    /// Starts a block at `when`; `before` has the times of the launch's start until then.
    void StartBlock(uint32_t block, Ticks when, StartupTimes before, bool first);
    /// Returns the number of cores of this kind that begin together.
    uint32_t CoresOf(CoreKind kind) const;
    void Wake(uint32_t core);
    void WakeAll();
    void NoteEnd(CoreClock& core);
    /// Returns the cores that synchronise with `core` in this mode of CrossCoreSetFlag.
    std::vector<uint32_t> Members(const CoreClock& core, int32_t mode) const;
    /// Notes that `core` has reached the synchronisation point at `*when`. If all members have
    /// reached the point, sets `*when` to the time of the last arrival and returns true.
    bool Gather(Meeting& meeting, const std::vector<uint32_t>& members, uint32_t core, Ticks* when);
    void GrantAll();
    void Conclude();

    const SocInfo& soc_;
    const std::vector<const Program*>& programs_;
    Operations& operations_;
    const uint64_t mostPerCore_;
    const StartupCosts costs_;
    MemorySystem memory_;
    std::vector<std::unique_ptr<CoreClock>> cores_;
    std::vector<std::vector<uint32_t>> blocks_;  ///< cores of each block
    std::vector<uint32_t> open_;                 ///< by block: number of cores still running
    uint32_t nextBlock_ = 0;
    EventQueue events_;
    std::deque<uint32_t> awake_;
    std::vector<bool> isAwake_, ended_;
    std::map<std::pair<int32_t, uint32_t>, Meeting> crossMeetings_, barriers_;
    Releases releases_;
    std::vector<Releases::Granted> granted_;
    bool mix_ = false;
    Ticks task_ = 0;
    std::string stuck_;
};

}  // namespace twin::timing
