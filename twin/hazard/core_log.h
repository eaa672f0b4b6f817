// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "core/instruction.h"
#include "hazard/access.h"
#include "hazard/finding.h"

namespace twin::hazard {

/// How an access to global memory uses the scalar data cache.
enum class Cached : uint8_t {
    No,
    Load,       ///< the cache loads a line
    Read,       ///< the scalar unit reads a line that is in the cache
    Clean,      ///< the cache writes changed bytes back
    Late,       ///< the cache writes changed bytes back at the kernel's end, without a call
    WholeLine,  ///< the cache writes unchanged bytes back with the rest of their line
};

/// An access to global memory. The replay of the logs compares it with accesses of other cores.
struct GmAccess {
    uint64_t begin = 0;
    Runs runs;  ///< accessed runs of bytes; the first run begins at `begin`
    Access access;
    bool write = false;
    Cached cached = Cached::No;
    /// If `cached` is Cached::Late: number of the scalar instruction that wrote the bytes. For a
    /// word that the core publishes: number of the scalar instruction that made the word visible.
    uint32_t scalarEpoch = 0;
    bool word = false;  ///< the core polls the word, or makes it visible to other cores
};

/// Bytes of a 64-byte line of GM that a core has made visible to other cores. The scalar unit has
/// written the line back from the data cache, or has used WriteGmByPassDCache.
struct PublishedLine {
    uint64_t line = 0;
    uint64_t bits = 0;  ///< bit i: the core has written byte i
    uint8_t bytes[64] = {};
    Access access;
    uint32_t scalarEpoch = 0;
};

/// A scalar read that may see a word from another core: the read bypasses the data cache, or is the
/// first read of the cache line after DataCacheCleanAndInvalid.
struct Poll {
    GmAccess access;
    uint64_t line = 0;
    uint64_t bits = 0;
    uint64_t value = 0;

    bool Finds(const PublishedLine& what) const;
};

/// A point where a core signals other cores or waits for them, by flags, barriers or words in GM.
struct Meeting {
    size_t at = 0;  ///< number of accesses in the log before this point
    CoreSync sync;
    int8_t flag = -1;        ///< id of the cross-core flag; -1: the core uses no flag
    int8_t mode = -1;        ///< mode of CrossCoreSetFlag; -1: the core waits
    Clock clock;             ///< for a release: instructions that have ended
    bool publishes = false;  ///< the next entry of LogSegment::published is for this point
    bool polls = false;      ///< the next entry of LogSegment::polls is for this point
    bool mayMiss = false;    ///< the replay of the logs may continue without the release
};

/// A GmAccess in compact form. Most accesses are one run of bytes.
struct LogEntry {
    uint64_t begin;
    uint32_t runs;  ///< number of bytes, if the access is one run
    uint32_t index;
    uint32_t sequence;
    uint32_t site;
    uint32_t scalarEpoch;
    Lane lane;
    uint8_t kind;
    Cached cached;
    bool write : 1;
    bool word : 1;
    bool strided : 1;  ///< the next entry of LogSegment::runs has the access's runs
};

/// A part of a log, in program order.
struct LogSegment {
    std::vector<LogEntry> accesses;
    std::vector<Runs> runs;
    std::vector<Meeting> meetings;
    std::vector<PublishedLine> published;
    std::vector<Poll> polls;
    std::vector<TentativeFinding> tentative;
};

/// A log of one core in program order: accesses to GM, and signals to and from other cores.
class CoreLog {
public:
    /// Limit for the number of logged accesses that the replay of the logs has yet to process.
    static constexpr size_t kMost = size_t{1} << 24;

    /// Adds an access. Accesses with equal `changes` (CoreOrder::Changes) may become one entry.
    void Add(const GmAccess& access, uint64_t changes);
    void Meet(const Meeting& meeting);
    void Publish(const PublishedLine& what, const Clock& clock);
    void Read(const Poll& poll);
    void Note(TentativeFinding finding);
    /// Moves entries to the end of `to`: with `all`, all entries; otherwise the entries that later
    /// accesses cannot change any more.
    void TakeSettled(bool all, LogSegment* to);
    /// Returns the number of all entries so far: those still kept here, and those passed on.
    size_t Length() const { return taken_.accesses + taken_.meetings + Kept(); }
    size_t Kept() const { return kept_.accesses.size() + kept_.meetings.size(); }
    /// Sets how many of the taken entries the replay of the logs has not processed yet.
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
    bool Grow(LogEntry* last, const GmAccess& added);
    LogEntry Pack(const GmAccess& access);
    size_t LatestPolls() const;

    LogSegment kept_;
    Taken taken_;
    std::vector<Open> open_;    ///< by site: latest entry, which the next access may extend
    uint64_t changes_ = 0;      ///< CoreOrder::Changes at the latest access
    size_t latestMeeting_ = 0;  ///< number of accesses before the latest meeting
    size_t behind_ = 0;
    bool full_ = false;
};

/// The logs of one core. A cube core has a separate log for each client: a vector core that sends
/// Matmul requests. The order of requests from several clients depends on the thread schedule.
class CoreLogs {
public:
    static constexpr uint32_t kClients = 2;  ///< a block has at most two vector cores
    /// Number of new log entries after which a core runs a part of the replay of all logs itself.
    static constexpr uint32_t kTurn = 1U << 14;

    /// Selects the log for later entries: 0 is the core's own log; 1 and 2 are the logs for Matmul
    /// clients. Subtracts `shift` from the sequence numbers of the entries.
    void WorkFor(uint32_t client, uint32_t shift);
    uint32_t Client() const { return client_; }

    void Add(GmAccess access, uint64_t changes) {
        access.access.sequence -= shift_;
        logs_[client_].Add(access, changes);
        ++grown_;
    }
    void Meet(Meeting meeting);
    void Meet(const CoreSync& sync, const Clock& clock, bool mayMiss = false);
    void Publish(const PublishedLine& what, Clock clock);
    void Read(const Poll& poll);
    /// Sets the number of the instruction that makes the next entries.
    void At(uint64_t sequence) { sequence_ = static_cast<uint32_t>(sequence); }
    void Note(const std::vector<TentativeFinding>& findings) {
        for (const TentativeFinding& finding : findings) {
            logs_[client_].Note(finding);
        }
    }

    /// Returns true if the core must pass its new entries to the replay: kTurn entries are new, or
    /// another core may wait for a Meeting.
    bool WantHandOver() const { return met_ != 0 || grown_ >= kTurn; }
    bool TakeTurn();
    /// Returns a bit per log with new Meetings (bit i: log for client i), and clears the bits.
    uint32_t TakeMet() { return std::exchange(met_, 0U); }
    size_t Count() const { return logs_.size(); }
    size_t Length() const;
    bool Full() const;
    LogSegment TakeSettled(uint32_t client);
    std::vector<LogSegment> TakeAll();
    void SetBehind(uint32_t client, size_t count) { logs_[client].SetBehind(count); }

private:
    std::vector<CoreLog> logs_ = std::vector<CoreLog>(1);
    uint32_t client_ = 0;
    uint32_t shift_ = 0;
    uint32_t sequence_ = 0;
    uint32_t grown_ = 0;  ///< number of new entries since the core last ran a part of the replay
    uint32_t met_ = 0;    ///< bit i: the log for client i has new meetings
};

/// Reads the segments of one log in order.
class LogReader {
public:
    /// Starts to read the segment; the previous one must have been read to its end.
    void Take(LogSegment segment);
    bool HasAccess() const { return access_ < segment_.accesses.size(); }
    /// Returns the number of accesses that were read so far.
    size_t At() const { return before_ + access_; }
    GmAccess NextAccess();
    /// Returns the next Meeting; nullptr if the segment has no more.
    const Meeting* Next() const {
        return meeting_ < segment_.meetings.size() ? &segment_.meetings[meeting_] : nullptr;
    }
    /// Returns the line that the core publishes at the next Meeting.
    const PublishedLine& NextPublished() const { return segment_.published[published_]; }
    /// Returns the word that the core polls at the next Meeting.
    const Poll& NextPoll() const { return segment_.polls[poll_]; }
    void Pass();
    /// Returns the next tentative finding if the reader has passed all Meetings before it, or if
    /// `all` is true. Otherwise returns nullptr.
    const TentativeFinding* NextTentative(bool all = false);

private:
    LogSegment segment_;
    size_t before_ = 0;
    size_t passed_ = 0;
    size_t access_ = 0;
    size_t runs_ = 0;
    size_t meeting_ = 0;
    size_t published_ = 0;
    size_t poll_ = 0;
    size_t tentative_ = 0;
};

/// A published line of GM, passed to the replay before the replay processes the core's log entry.
struct AnnouncedLine {
    uint32_t core = 0;  ///< number of the LogicalCore
    size_t number = 0;  ///< number among the lines that the core publishes
    PublishedLine what;
};

/// Queues of log segments, one for each LogicalCore. The cores add segments from their own threads,
/// and the replay of the logs takes them at any time.
class SegmentQueues {
public:
    enum class Got : uint8_t {
        More,
        NotYet,  ///< the queue is empty, and the core has not ended
        Ended,
    };

    explicit SegmentQueues(size_t cores) : queues_(cores), open_(cores) {}

    /// Moves the contents of `settled` to the end of the core's queue.
    void Put(uint32_t core, LogSegment* settled);
    /// Notes that the core adds no more segments.
    void End(uint32_t core);
    Got Take(uint32_t core, LogSegment* segment);
    /// Returns the number of log entries in the core's queue.
    size_t Behind(uint32_t core) const;
    /// Returns the published lines that Put() has added since the previous call.
    std::vector<AnnouncedLine> TakeAnnounced();
    bool OthersEnded(uint32_t core) const;

private:
    struct Queue {
        LogSegment segment;
        size_t published = 0;
        bool ended = false;
    };

    mutable std::mutex mutex_;
    std::vector<Queue> queues_;  ///< queue of each logical core
    std::vector<AnnouncedLine> announced_;
    size_t open_;  ///< number of cores that have not ended
};

/// Selects the log to which a cube core adds entries while it works for a Matmul client. Each
/// client has a log, because the order of requests depends on the thread schedule. A client's
/// entries are ordered after the entries that the cube core logged before it began to serve.
class MatmulService {
public:
    /// Returns true if the core has sent a Matmul request.
    bool Asks() const { return !asked_.empty(); }
    /// Notes a Matmul request of this vector core.
    void Ask(uint64_t sequence) { asked_.push_back(static_cast<uint32_t>(sequence)); }
    /// Returns how many Matmul requests this vector core made before an instruction.
    size_t AskedBefore(uint32_t sequence) const;
    /// Returns true if the core has begun to serve, but works for no client now.
    bool Idle() const { return serving_ && client_ == 0; }
    /// Switches to the log of the client whose request the core accepts.
    void Accept(const Instruction& i, const CoreSync& sync, CoreLogs* logs);
    void Answer(const Instruction& i, CoreLogs* logs);
    /// Notes an access to global memory that the core makes for a client's request.
    void Work(const Instruction& i, const ByteRange& range);
    /// Returns a hash of the request for which the core made `access`: two requests with the same
    /// accesses have the same hash. `access` has its number in the client's log.
    uint64_t RequestOf(uint32_t client, const Access& access) const;
    /// Returns true if `other` made as many requests like the one for which the core made `access`
    /// as `client` did up to this request. Only the first `asked` requests of `other` count.
    bool AskedBoth(uint32_t client, const Access& access, uint32_t other, size_t asked) const;
    /// Ends the service: the core's later entries come after all its work for clients.
    void End(uint32_t block, CoreLogs* logs);

private:
    std::vector<uint32_t> asked_;  ///< numbers of this core's own requests in its program
    bool serving_ = false;
    uint32_t services_ = 0;  ///< number of times that the core has begun to serve
    uint32_t client_ = 0;
    uint32_t shift_ = 0;  ///< `shift` of the current client for CoreLogs::WorkFor
    uint32_t served_[1 + CoreLogs::kClients] = {};  ///< by client: number of instructions
    uint32_t joined_[1 + CoreLogs::kClients] = {};  ///< by client: services_ at its latest request
    /// A request that the core has answered.
    struct Request {
        uint32_t end;   ///< number of its last instruction in the client's log
        uint64_t hash;  ///< hash of its accesses to global memory
    };
    std::vector<Request> requests_[1 + CoreLogs::kClients];  ///< answered requests by client
    uint64_t hash_ = 0;                                      ///< hash of the current request
};

}  // namespace twin::hazard
