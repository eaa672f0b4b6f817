// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/cross_core.h"
#include "hazard/history.h"
#include "hazard/inbox.h"
#include "hazard/knowledge.h"
#include "hazard/releases.h"

namespace twin::hazard {

/// A core, or what a server did for one of its clients: nothing orders that but the client's
/// messages, so it counts as a core of its own.
struct Part {
    uint32_t core = 0;    ///< where it runs
    uint32_t client = 0;  ///< from 1; 0: the core's own
};

/// An access of one of the parts.
struct Mark {
    uint32_t core = 0;  ///< number of the part
    Access access;
    bool write = false;
    Cached cached = Cached::No;
    uint32_t told = 0;
    bool word = false;
};

/// Two accesses of different cores that nothing orders.
struct Clash {
    const char* code;
    const char* kind;
    uint64_t begin;
    uint64_t bytes;
    Mark first;
    Mark second;
};

/// The cores that may be able to go on; all of them at first.
class ReadyCores {
public:
    explicit ReadyCores(size_t cores);
    void Add(uint32_t core) {
        words_[core / 64] |= uint64_t{1} << core % 64;
        low_ = std::min(low_, size_t{core / 64});
    }
    void Remove(uint32_t core) { words_[core / 64] &= ~(uint64_t{1} << core % 64); }
    /// UINT32_MAX: none.
    uint32_t Lowest();

private:
    std::vector<uint64_t> words_;
    size_t low_ = 0;  ///< there is nothing below
};

/// Goes through what all cores did to global memory in an order that their meetings allow, the
/// lowest core first: the same whatever the schedule was. It may begin while they run: it stops
/// where what comes next is not there yet, and leaves nothing of what it has gone through.
class Replay {
public:
    /// Whom it tells of what it finds.
    struct Reports {
        std::function<void(const Clash&)> clash;
        /// The doubt was right.
        std::function<void(const Part&, const Doubt&)> knew;
    };

    /// `parts`: all cores of the launch in their order, then those that worked for clients. The
    /// inbox has a place for each.
    Replay(BlockShape shape, uint32_t cores, std::vector<Part> parts, Inbox* inbox,
           Reports reports);
    /// Goes through so many accesses and meetings, if they are there; true when it is over.
    bool Run(uint64_t most = UINT64_MAX);
    /// How many it has gone through.
    uint64_t Done() const { return done_; }

private:
    /// Flags between cores: most launches use none.
    struct Flags {
        std::deque<Told> sent[3][CrossCoreFlags::kFlags];
        std::deque<Known> received[CrossCoreFlags::kFlags];
    };
    struct CoreState {
        LogReader log;
        std::vector<uint32_t> around;  ///< parts on the same core that are Together with it
        Known knows;
        std::map<uint64_t, Known> lines;  ///< what was known when a line of the cache came in
        size_t published = 0;
        std::map<uint64_t, size_t> readUpTo;             ///< by word, in what its line got
        std::set<std::pair<uint32_t, uint32_t>> handed;  ///< found: by core and its count
    };
    struct Handed {
        Published what;
        Told told;
    };
    /// Why it does not go on with a core.
    enum class Stop : uint8_t {
        Waits,   ///< for another one, or has ended
        NotYet,  ///< what comes next is not there
        Enough,
    };
    enum class Passes : uint8_t { Yes, Waits, NotYet };
    /// What may still clash with somebody.
    using Marks = std::vector<Mark>;

    Stop Advance(uint32_t core, uint64_t end);
    Passes Pass(uint32_t core, const Meeting& meeting);
    /// The core has come to the end of what is there.
    Inbox::Got Refill(uint32_t core);
    void Decide(uint32_t core, const Doubt& doubt);
    /// What was to be decided on ways that cores did not go: nothing is to come to them.
    void DecideRest();
    void Release(uint32_t core, const Meeting& meeting);
    bool Acquire(uint32_t core, const Meeting& meeting);
    void SetFlag(uint32_t core, const Meeting& meeting);
    bool WaitFlag(uint32_t core, const Meeting& meeting);
    Told Tell(uint32_t core, const Meeting& meeting) const;
    /// Whether they are one core, which judges its own accesses, or a server's work and the core
    /// around it.
    bool Together(uint32_t one, uint32_t other) const {
        return one == other || (parts_[one].core == parts_[other].core &&
                                (parts_[one].client == 0 || parts_[other].client == 0));
    }
    /// What is known in `knows` of the pipes of a part's core.
    Clock Own(uint32_t core, const Knowledge& knows) const;
    void Learn(uint32_t core, const Known& known);

    // Words that cores hand over by: replay_words.cpp.
    void Announce();
    void Publish(uint32_t core, const Meeting& meeting);
    Passes PassPoll(uint32_t core, const Poll& poll);
    const Handed* Find(uint32_t core, const Poll& poll);
    bool Comes(uint32_t core, const Poll& poll);
    bool Force();
    bool HandedOver(const Mark& before, const Mark& now) const;

    void Touch(uint32_t core, const GmAccess& access);
    void Judge(const Mark& before, const Mark& now, uint64_t begin, const RunEnd& end);
    void JudgeLine(const Mark& write, const Mark& now, uint64_t begin, const RunEnd& end);
    void JudgeUnordered(const Mark& first, const Mark& second, uint64_t begin, const RunEnd& end);
    bool IsLate(const Mark& write, const Mark& read) const;
    Change Look(const Marks& before, const Mark& now, uint64_t begin, const RunEnd& end,
                Marks* after);
    bool Ordered(const Mark& before, const Knowledge& knows) const {
        return knows[before.core].Covers(before.access.lane, before.access.index);
    }

    BlockShape shape_;
    uint32_t coreCount_;
    std::vector<Part> parts_;
    Inbox* inbox_;
    Reports reports_;
    std::vector<CoreState> cores_;
    ReadyCores ready_;
    uint32_t current_ = UINT32_MAX;  ///< it has not come to the end of its way
    uint64_t done_ = 0;
    bool over_ = false;
    Known nothing_;
    Releases releases_;
    std::vector<Flags> flags_;  ///< by core
    History<Marks> memory_;
    std::map<uint64_t, std::vector<Handed>> published_;  ///< by line
    /// What it has not come to of what is published: by line.
    std::map<uint64_t, std::deque<Announced>> announced_;
    std::vector<uint32_t> polling_;  ///< wait for a word
    uint32_t forced_ = UINT32_MAX;   ///< goes on though it waits
};

}  // namespace twin::hazard
