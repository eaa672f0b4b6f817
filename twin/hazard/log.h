// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HAZARD_LOG_H
#define TWIN_HAZARD_LOG_H

#include <cstdint>
#include <deque>
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
    int32_t published = -1;  ///< number of what the core publishes here
    int32_t poll = -1;
    bool mayMiss = false;  ///< a release that may never come: it is not waited for in vain
};

/// What one core did to global memory, and how it met others, in program order.
class CoreLog {
public:
    static constexpr size_t kMost = size_t{1} << 24;

    /// `changes`: what the core knows of its pipes; accesses in one state of knowledge may be
    /// joined.
    void Add(const GmAccess& access, uint64_t changes);
    void Meet(const Meeting& meeting);
    void Publish(const Published& what, const Clock& clock);
    void Read(const Poll& poll);
    size_t Count() const { return accesses_.size(); }
    GmAccess At(size_t number) const;
    const std::vector<Meeting>& Meetings() const { return meetings_; }
    const std::vector<Published>& AllPublished() const { return published_; }
    const std::vector<Poll>& Polls() const { return polls_; }
    bool Full() const { return full_; }

private:
    /// An access as it is kept: most are one run of bytes.
    struct Entry {
        uint64_t begin;
        uint32_t runs;  ///< bytes of the only one; `strided`: a number in `runs_`
        uint32_t index;
        uint32_t sequence;
        uint32_t site;
        uint32_t told;
        Lane lane;
        uint8_t kind;
        Cached cached;
        bool write : 1;
        bool word : 1;
        bool strided : 1;
    };
    struct Open {
        size_t entry = SIZE_MAX;
        uint64_t changes = 0;
    };

    bool Grow(Entry* last, const GmAccess& added);
    Entry Pack(const GmAccess& access);

    std::deque<Entry> accesses_;
    std::deque<Runs> runs_;
    std::vector<Meeting> meetings_;
    std::vector<Published> published_;
    std::vector<Poll> polls_;
    std::vector<Open> open_;  ///< by site: the run that may grow
    size_t segment_ = 0;      ///< accesses before the latest meeting
    bool full_ = false;
};

}  // namespace twin::hazard

#endif  // TWIN_HAZARD_LOG_H
