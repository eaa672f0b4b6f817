// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/instruction.h"
#include "hazard/access.h"

namespace twin::hazard {

/// How an access to global memory passes the scalar data cache.
enum class Cached : uint8_t {
    No,
    Load,       ///< a line comes in
    Read,       ///< of a line that is in
    Clean,      ///< written bytes go back
    Late,       ///< the same at the kernel's end, when nobody asked for it
    WholeLine,  ///< what a write-back takes with it
};

/// An access to global memory as other cores see it.
struct GmAccess {
    uint64_t begin = 0;
    Runs runs;  ///< from there on
    Access access;
    bool write = false;
    Cached cached = Cached::No;
    /// The scalar unit's count: of a late write-back when it wrote, of a word when others could see
    /// it.
    uint32_t told = 0;
    bool word = false;  ///< one that cores hand over by: written for others to see, or polled
};

/// What the scalar unit of a core has put into a line of global memory for others to see, by a
/// clean of the line or past the data cache.
struct Published {
    uint64_t line = 0;
    uint64_t bits = 0;  ///< bit i: byte i is its
    uint8_t bytes[64] = {};
    Access access;
    uint32_t told = 0;
};

/// A read of a word past the data cache, or as the first one of a line that was cleaned out of it.
struct Poll {
    GmAccess access;
    uint64_t line = 0;
    uint64_t bits = 0;
    uint64_t value = 0;

    bool Finds(const Published& what) const;
};

/// Where a core's order meets that of other cores.
struct Meeting {
    size_t at = 0;  ///< accesses of the core before it
    CoreSync sync;
    int8_t flag = -1;        ///< of a flag between cores
    int8_t mode = -1;        ///< of its set; -1: a wait
    Clock clock;             ///< what has ended when others are told
    bool publishes = false;  ///< the next of what the core publishes
    bool polls = false;      ///< the next of its polls
    bool mayMiss = false;    ///< a release that may never come: it is not waited for in vain
};

/// A finding of a core's own that is none if the core knew through others that the access before
/// had ended.
struct Doubt {
    size_t finding = 0;
    size_t meetings = 0;  ///< that the core had passed
    Lane lane = kS;
    uint32_t index = 0;
};

/// An access as it is kept: most are one run of bytes.
struct Entry {
    uint64_t begin;
    uint32_t runs;  ///< bytes of the only one, unless it is strided
    uint32_t index;
    uint32_t sequence;
    uint32_t site;
    uint32_t told;
    Lane lane;
    uint8_t kind;
    Cached cached;
    bool write : 1;
    bool word : 1;
    bool strided : 1;  ///< its runs are the next of those kept
};

/// A part of a log, in program order.
struct Stretch {
    std::vector<Entry> accesses;
    std::vector<Runs> runs;
    std::vector<Meeting> meetings;
    std::vector<Published> published;
    std::vector<Poll> polls;
    std::vector<Doubt> doubts;
};

/// What one core did to global memory, and how it met others, in program order.
class CoreLog {
public:
    /// That may be behind the replay.
    static constexpr size_t kMost = size_t{1} << 24;

    /// `changes`: what the core knows of its pipes; accesses in one state of knowledge may be
    /// joined.
    void Add(const GmAccess& access, uint64_t changes);
    void Meet(const Meeting& meeting);
    void Publish(const Published& what, const Clock& clock);
    void Read(const Poll& poll);
    void Note(Doubt doubt);
    /// Moves to the end of `to` what nothing will change any more; `all`: nothing is to come.
    void TakeSettled(bool all, Stretch* to);
    /// Accesses and meetings, those that were taken too.
    size_t Length() const { return taken_.accesses + taken_.meetings + Kept(); }
    size_t Kept() const { return kept_.accesses.size() + kept_.meetings.size(); }
    /// So many of what was taken still take room.
    void SetBehind(size_t count) { behind_ = count; }
    bool Full() const { return full_; }

private:
    struct Open {
        size_t entry = SIZE_MAX;
        uint64_t changes = 0;
    };
    struct Taken {
        size_t accesses = 0;
        size_t meetings = 0;
    };

    size_t Count() const { return taken_.accesses + kept_.accesses.size(); }
    bool MayGrow(const Open& open, uint64_t changes) const;
    bool Grow(Entry* last, const GmAccess& added);
    Entry Pack(const GmAccess& access);
    size_t LatestPolls() const;

    Stretch kept_;
    Taken taken_;
    std::vector<Open> open_;  ///< by site: the run that may grow
    uint64_t changes_ = 0;    ///< at the latest access
    size_t segment_ = 0;      ///< accesses before the latest meeting
    size_t behind_ = 0;
    bool full_ = false;
};

/// Goes through stretches of one log, one behind the other.
class LogReader {
public:
    /// All of the stretch before has been read.
    void Take(Stretch stretch);
    bool HasAccess() const { return access_ < stretch_.accesses.size(); }
    /// How many accesses were read.
    size_t At() const { return before_ + access_; }
    GmAccess NextAccess();
    /// nullptr: none is left.
    const Meeting* Next() const {
        return meeting_ < stretch_.meetings.size() ? &stretch_.meetings[meeting_] : nullptr;
    }
    /// What the next meeting publishes, or polls.
    const Published& NextPublished() const { return stretch_.published[published_]; }
    const Poll& NextPoll() const { return stretch_.polls[poll_]; }
    void Pass();
    /// The next doubt that these decide, or of `all`; nullptr: none.
    const Doubt* NextDoubt(bool all = false);

private:
    Stretch stretch_;
    size_t before_ = 0;
    size_t passed_ = 0;
    size_t access_ = 0;
    size_t runs_ = 0;
    size_t meeting_ = 0;
    size_t published_ = 0;
    size_t poll_ = 0;
    size_t doubt_ = 0;
};

}  // namespace twin::hazard
