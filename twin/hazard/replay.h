// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HAZARD_REPLAY_H
#define TWIN_HAZARD_REPLAY_H

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
#include "hazard/knowledge.h"
#include "hazard/log.h"
#include "hazard/releases.h"

namespace twin::hazard {

/// A core, or what a server did for one of its clients: nothing orders that but the client's
/// messages, so it counts as a core of its own.
struct Part {
    const CoreLog* log = nullptr;
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
/// lowest core first: the same whatever the schedule was.
class Replay {
public:
    /// `parts`: all cores of the launch in their order, then those that worked for clients.
    Replay(BlockShape shape, uint32_t cores, std::vector<Part> parts,
           std::function<void(const Clash&)> report);
    void Run();
    /// Whether a core that had passed so many meetings knew through others that an access of its
    /// own had ended.
    bool Knew(uint32_t core, size_t meetings, Lane lane, uint32_t index) const;

private:
    /// Flags between cores: most launches use none.
    struct Flags {
        std::deque<Told> sent[3][CrossCoreFlags::kFlags];
        std::deque<Known> received[CrossCoreFlags::kFlags];
    };
    struct CoreState {
        size_t access = 0;
        size_t meeting = 0;
        std::vector<uint32_t> around;  ///< parts on the same core that are Together with it
        Known knows;
        std::map<uint64_t, Known> lines;  ///< what was known when a line of the cache came in
        /// What came back of the core's own clock, by the meeting that brought it.
        std::vector<std::pair<size_t, Clock>> returned;
        size_t published = 0;
        std::map<uint64_t, size_t> readUpTo;             ///< by word, in what its line got
        std::set<std::pair<uint32_t, uint32_t>> handed;  ///< found: by core and its count
    };
    struct Handed {
        const Published* what;
        Told told;
    };
    /// What may still clash with somebody.
    using Marks = std::vector<Mark>;

    /// Goes on with a core until it has to wait.
    void Advance(uint32_t core);
    bool Pass(uint32_t core, const Meeting& meeting);
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
    bool PassPoll(uint32_t core, const Poll& poll);
    const Handed* Find(uint32_t core, const Poll& poll);
    bool Comes(uint32_t core, const Poll& poll) const;
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
    std::function<void(const Clash&)> report_;
    std::vector<CoreState> cores_;
    ReadyCores ready_;
    Known nothing_;
    Releases releases_;
    std::vector<Flags> flags_;  ///< by core
    History<Marks> memory_;
    std::map<uint64_t, std::vector<Handed>> published_;  ///< by line
    /// What is published in the whole launch: by line, core and number.
    std::map<uint64_t, std::vector<std::pair<uint32_t, size_t>>> announced_;
    std::vector<uint32_t> polling_;  ///< wait for a word
    uint32_t forced_ = UINT32_MAX;   ///< goes on though it waits
};

}  // namespace twin::hazard

#endif  // TWIN_HAZARD_REPLAY_H
