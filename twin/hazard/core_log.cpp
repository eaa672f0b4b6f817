// SPDX-License-Identifier: Apache-2.0
#include "hazard/core_log.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <numeric>
#include <utility>

namespace twin::hazard {
namespace {

constexpr size_t kPolledTogether = 64;            ///< maximum number of words in one polling loop
constexpr size_t kGrowsWithin = size_t{1} << 16;  ///< an entry with so many successors cannot grow

bool IsOneRun(const Runs& runs) { return runs.block.count == 1 && runs.repeat.count == 1; }

/// Moves the first `count` items of `from` to the end of `to`.
template <typename Item>
void Move(std::vector<Item>* from, size_t count, std::vector<Item>* to) {
    if (to->empty() && count == from->size()) {
        std::swap(*from, *to);
        return;
    }
    const auto end = from->begin() + static_cast<ptrdiff_t>(count);
    to->insert(to->end(), std::make_move_iterator(from->begin()), std::make_move_iterator(end));
    from->erase(from->begin(), end);
}

}  // namespace

bool Poll::Finds(const PublishedLine& what) const {
    if (what.line != line || (bits & ~what.bits) != 0) {
        return false;
    }
    return std::memcmp(what.bytes + (access.begin - line), &value, access.runs.bytes) == 0;
}

void CoreLog::Add(const GmAccess& added, uint64_t changes) {
    const uint32_t site = added.access.site;
    if (site >= open_.size()) {
        open_.resize(site + 1);
    }
    changes_ = changes;
    Open& open = open_[site];
    if (MayGrow(open, changes) && Grow(&kept_.accesses[open.entry - taken_.accesses], added)) {
        return;
    }
    if (behind_ + kept_.accesses.size() >= kMost) {
        full_ = true;
        return;
    }
    open = {Count(), changes};
    kept_.accesses.push_back(Pack(added));
}

/// Returns true if a later access may extend the entry. TakeSettled() leaves such an entry in the
/// log. So the log has the same entries, no matter when TakeSettled() is called.
bool CoreLog::MayGrow(const Open& open, uint64_t changes) const {
    return open.entry != SIZE_MAX && open.entry >= latestMeeting_ && open.changes == changes &&
           open.entry + kGrowsWithin > Count();
}

/// Extends an entry by an overlapping or adjoining access of equal kind; otherwise returns false.
bool CoreLog::Grow(LogEntry* last, const GmAccess& added) {
    const uint64_t end = last->begin + last->runs;
    const uint64_t bytes = std::max(end, added.begin + added.runs.bytes) - last->begin;
    if (last->strided || !IsOneRun(added.runs) || last->write != added.write ||
        last->cached != added.cached || last->kind != added.access.kind ||
        added.begin < last->begin || added.begin > end || bytes > UINT32_MAX) {
        return false;
    }
    last->runs = static_cast<uint32_t>(bytes);
    last->index = added.access.index;
    return true;
}

LogEntry CoreLog::Pack(const GmAccess& access) {
    LogEntry entry{};
    entry.begin = access.begin;
    entry.strided = !IsOneRun(access.runs) || access.runs.bytes > UINT32_MAX;
    if (entry.strided) {
        kept_.runs.push_back(access.runs);
    } else {
        entry.runs = static_cast<uint32_t>(access.runs.bytes);
    }
    entry.index = access.access.index;
    entry.sequence = access.access.sequence;
    entry.site = access.access.site;
    entry.scalarEpoch = access.scalarEpoch;
    entry.lane = access.access.lane;
    entry.kind = access.access.kind;
    entry.cached = access.cached;
    entry.write = access.write;
    entry.word = access.word;
    return entry;
}

void CoreLog::Meet(const Meeting& meeting) {
    kept_.meetings.push_back(meeting);
    kept_.meetings.back().at = Count();
    latestMeeting_ = Count();
}

void CoreLog::Publish(const PublishedLine& what, const Clock& clock) {
    Meeting meeting;
    meeting.clock = clock;
    meeting.publishes = true;
    kept_.published.push_back(what);
    Meet(meeting);
}

/// Returns the number of polls at the log's end. A loop's next iteration may replace these polls.
size_t CoreLog::LatestPolls() const {
    const auto& meetings = kept_.meetings;
    size_t count = 0;
    while (count < std::min(meetings.size(), kPolledTogether) &&
           meetings[meetings.size() - 1 - count].polls &&
           meetings[meetings.size() - 1 - count].at == Count()) {
        ++count;
    }
    return count;
}

void CoreLog::Read(const Poll& poll) {
    // A waiting loop polls the same words again and again; only its latest iteration is logged.
    const size_t latest = LatestPolls();
    for (size_t i = 0; i < latest; ++i) {
        Poll& before = kept_.polls[kept_.polls.size() - 1 - i];
        if (before.access.access.site == poll.access.access.site &&
            before.access.begin == poll.access.begin) {
            before = poll;
            return;
        }
    }
    Meeting meeting;
    meeting.polls = true;
    kept_.polls.push_back(poll);
    Meet(meeting);
}

void CoreLog::Note(TentativeFinding finding) {
    finding.meetings = taken_.meetings + kept_.meetings.size();
    kept_.tentative.push_back(finding);
}

void CoreLog::TakeSettled(bool all, LogSegment* to) {
    size_t settled = Count();
    for (const Open& open : open_) {
        if (!all && MayGrow(open, changes_)) {
            settled = std::min(settled, open.entry);
        }
    }
    // Takes all Meetings except the latest polls. An entry that may grow comes after all Meetings.
    const size_t accesses = settled - taken_.accesses;
    const size_t meetings = kept_.meetings.size() - (all ? 0 : LatestPolls());
    const auto first = kept_.accesses.begin() + static_cast<ptrdiff_t>(accesses);
    const auto later = std::count_if(first, kept_.accesses.end(),
                                     [](const LogEntry& entry) { return entry.strided; });
    taken_.accesses += accesses;
    taken_.meetings += meetings;
    const auto tentative = std::find_if(
        kept_.tentative.begin(), kept_.tentative.end(),
        [&](const TentativeFinding& each) { return !all && each.meetings > taken_.meetings; });
    Move(&kept_.runs, kept_.runs.size() - static_cast<size_t>(later), &to->runs);
    Move(&kept_.accesses, accesses, &to->accesses);
    Move(&kept_.polls, kept_.polls.size() - (kept_.meetings.size() - meetings), &to->polls);
    Move(&kept_.published, kept_.published.size(), &to->published);
    Move(&kept_.meetings, meetings, &to->meetings);
    Move(&kept_.tentative, static_cast<size_t>(tentative - kept_.tentative.begin()),
         &to->tentative);
}

void CoreLogs::WorkFor(uint32_t client, uint32_t shift) {
    if (client != 0) {
        logs_.resize(1 + kClients);
    }
    client_ = client;
    shift_ = shift;
}

void CoreLogs::Meet(Meeting meeting) {
    meeting.clock.ended[kProgram] = sequence_ - shift_;
    logs_[client_].Meet(meeting);
    met_ |= 1U << client_;
    ++grown_;
}

void CoreLogs::Meet(const CoreSync& sync, const Clock& clock, bool mayMiss) {
    Meeting meeting;
    meeting.sync = sync;
    meeting.clock = clock;
    meeting.mayMiss = mayMiss;
    Meet(meeting);
}

void CoreLogs::Publish(const PublishedLine& what, Clock clock) {
    clock.ended[kProgram] = sequence_ - shift_;
    logs_[client_].Publish(what, clock);
    met_ |= 1U << client_;
    ++grown_;
}

void CoreLogs::Read(const Poll& poll) {
    logs_[client_].Read(poll);
    met_ |= 1U << client_;
    ++grown_;
}

bool CoreLogs::TakeTurn() {
    const bool turn = grown_ >= kTurn;
    grown_ = turn ? 0 : grown_;
    return turn;
}

size_t CoreLogs::Length() const {
    return std::accumulate(logs_.begin(), logs_.end(), size_t{0},
                           [](size_t length, const CoreLog& log) { return length + log.Length(); });
}

bool CoreLogs::Full() const {
    return std::any_of(logs_.begin(), logs_.end(), [](const CoreLog& log) { return log.Full(); });
}

LogSegment CoreLogs::TakeSettled(uint32_t client) {
    LogSegment segment;
    logs_[client].TakeSettled(false, &segment);
    return segment;
}

std::vector<LogSegment> CoreLogs::TakeAll() {
    std::vector<LogSegment> segments(logs_.size());
    for (size_t client = 0; client < logs_.size(); ++client) {
        logs_[client].TakeSettled(true, &segments[client]);
    }
    return segments;
}

void LogReader::Take(LogSegment segment) {
    before_ += segment_.accesses.size();
    segment_ = std::move(segment);
    access_ = runs_ = meeting_ = published_ = poll_ = tentative_ = 0;
}

GmAccess LogReader::NextAccess() {
    const LogEntry& entry = segment_.accesses[access_++];
    GmAccess access;
    access.begin = entry.begin;
    access.runs = entry.strided ? segment_.runs[runs_++] : Runs(entry.runs);
    access.access.index = entry.index;
    access.access.sequence = entry.sequence;
    access.access.site = entry.site;
    access.access.lane = entry.lane;
    access.access.kind = entry.kind;
    access.write = entry.write;
    access.cached = entry.cached;
    access.scalarEpoch = entry.scalarEpoch;
    access.word = entry.word;
    return access;
}

void LogReader::Pass() {
    const Meeting& meeting = segment_.meetings[meeting_++];
    published_ += meeting.publishes ? 1 : 0;
    poll_ += meeting.polls ? 1 : 0;
    ++passed_;
}

const TentativeFinding* LogReader::NextTentative(bool all) {
    if (tentative_ == segment_.tentative.size() ||
        (!all && segment_.tentative[tentative_].meetings > passed_)) {
        return nullptr;
    }
    return &segment_.tentative[tentative_++];
}

void SegmentQueues::Put(uint32_t core, LogSegment* settled) {
    const std::lock_guard<std::mutex> lock(mutex_);
    Queue& queue = queues_[core];
    for (const PublishedLine& what : settled->published) {
        announced_.push_back({core, queue.published++, what});
    }
    LogSegment& segment = queue.segment;
    const auto append = [](auto* from, auto* to) { Move(from, from->size(), to); };
    append(&settled->accesses, &segment.accesses);
    append(&settled->runs, &segment.runs);
    append(&settled->meetings, &segment.meetings);
    append(&settled->published, &segment.published);
    append(&settled->polls, &segment.polls);
    append(&settled->tentative, &segment.tentative);
}

size_t SegmentQueues::Behind(uint32_t core) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const LogSegment& segment = queues_[core].segment;
    return segment.accesses.size() + segment.meetings.size();
}

void SegmentQueues::End(uint32_t core) {
    const std::lock_guard<std::mutex> lock(mutex_);
    open_ -= queues_[core].ended ? 0 : 1;
    queues_[core].ended = true;
}

SegmentQueues::Got SegmentQueues::Take(uint32_t core, LogSegment* segment) {
    const std::lock_guard<std::mutex> lock(mutex_);
    Queue& queue = queues_[core];
    const bool empty = queue.segment.accesses.empty() && queue.segment.meetings.empty() &&
                       queue.segment.tentative.empty();
    if (empty) {
        return queue.ended ? Got::Ended : Got::NotYet;
    }
    *segment = std::exchange(queue.segment, {});
    return Got::More;
}

std::vector<AnnouncedLine> SegmentQueues::TakeAnnounced() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(announced_, {});
}

bool SegmentQueues::OthersEnded(uint32_t core) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return open_ == 0 || (open_ == 1 && !queues_[core].ended);
}

}  // namespace twin::hazard
