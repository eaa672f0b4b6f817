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
#include "timing/event_queue.h"

namespace twin::timing {

/// Messages of cores through global memory: which core has released what at which time, and which
/// core waits.
class Releases {
public:
    /// A core that can go on, because the release that it waits for was there at `when`.
    struct Granted {
        uint32_t core;
        Ticks when;
    };

    /// Adds a release of `core` at `when`; adds the cores that waited only for this release to
    /// `granted`.
    void Add(uint32_t core, const CoreSync& sync, Ticks when, std::vector<Granted>* granted);
    /// Adds a wait of `core`, from `when` on, for the releases that `sync` names.
    void Await(uint32_t core, const CoreSync& sync, Ticks when, std::vector<Granted>* granted);

private:
    struct Wait {
        uint32_t core;
        uint32_t first, count;  ///< members for which the core waits
        uint64_t round;
        uint32_t missing;
        Ticks latest;
    };
    using Place = std::pair<uint64_t, uint32_t>;  ///< object, and number of a member or a core

    /// Returns the number of the release of each member that the core waits for; negative: none.
    int64_t RoundOf(uint32_t core, const CoreSync& sync);

    std::map<Place, std::vector<Ticks>> times_;  ///< indexed by object and member
    std::map<Place, uint32_t> own_;              ///< number of releases, by object and core
    std::map<uint64_t, uint32_t> taken_;  ///< taken releases of an object, one after the other
    std::map<uint64_t, std::vector<Wait>> waits_;  ///< indexed by object
};

/// Runs the programs of a launch on the modelled chip: blocks beyond its cores wait for a free
/// core, and requests to GM are served in the order of their time, whatever the twin's own threads
/// did.
class Replay : public Chip {
public:
    /// `programs` has the order block, sub-block; the cube core of a block comes first.
    Replay(const SocInfo& soc, const std::vector<const Program*>& programs);

    MemorySystem& memory() { return memory_; }
    void Run();

    const std::vector<std::unique_ptr<CoreClock>>& cores() const { return cores_; }
    Ticks task() const { return task_; }
    /// Returns the instruction that no core can pass; empty if all cores have ended.
    const std::string& stuck() const { return stuck_; }

    void Request(CoreClock& core, uint32_t pipe, const Transfer& transfer, Ticks when) override;
    void CrossSet(CoreClock& core, int32_t mode, int32_t flag, Ticks when) override;
    void Arrive(CoreClock& core, uint32_t cores, Ticks when) override;
    void Release(CoreClock& core, const CoreSync& sync, Ticks when) override;
    void Await(CoreClock& core, const CoreSync& sync, Ticks when) override;
    void Polled(uint64_t bytes) override { memory_.CountPolls(bytes); }

private:
    /// A group of cores that meet repeatedly: the times at which each core has reached the
    /// meetings, in order.
    struct Meeting {
        std::map<uint32_t, std::deque<Ticks>> times;
    };

    Ticks Micro(double us) const;
    void StartBlocks(Ticks when);
    void StartBlock(uint32_t block, Ticks when);
    void Wake(uint32_t core);
    void WakeAll();
    void NoteEnd(CoreClock& core);
    /// Returns the cores that `core` meets in a mode.
    std::vector<uint32_t> Members(const CoreClock& core, int32_t mode) const;
    /// Notes the time at which a core has reached the meeting; if all cores have reached it,
    /// returns true and the time of the last core.
    bool Gather(Meeting& meeting, const std::vector<uint32_t>& members, uint32_t core, Ticks* when);
    void GrantAll();
    void Conclude();

    const SocInfo& soc_;
    const std::vector<const Program*>& programs_;
    MemorySystem memory_;
    std::vector<std::unique_ptr<CoreClock>> cores_;
    std::vector<std::vector<uint32_t>> blocks_;  ///< cores of each block
    std::vector<uint32_t> open_;                 ///< cores of a block that have not ended
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
