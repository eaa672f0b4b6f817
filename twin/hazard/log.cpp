// SPDX-License-Identifier: Apache-2.0
#include "hazard/log.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

namespace twin::hazard {
namespace {

constexpr size_t kPolledTogether = 64;            ///< words that a loop goes round
constexpr size_t kGrowsWithin = size_t{1} << 16;  ///< accesses behind it

bool IsOneRun(const Runs& runs) { return runs.block.count == 1 && runs.repeat.count == 1; }

/// The first `count` of `from` go to the end of `to`.
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

bool Poll::Finds(const Published& what) const {
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

/// What has been taken does not: it depends on the log alone what the pieces of a run are.
bool CoreLog::MayGrow(const Open& open, uint64_t changes) const {
    return open.entry != SIZE_MAX && open.entry >= segment_ && open.changes == changes &&
           open.entry + kGrowsWithin > Count();
}

/// One run that goes on where another one of its kind ended.
bool CoreLog::Grow(Entry* last, const GmAccess& added) {
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

Entry CoreLog::Pack(const GmAccess& access) {
    Entry entry{};
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
    entry.told = access.told;
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
    segment_ = Count();
}

void CoreLog::Publish(const Published& what, const Clock& clock) {
    Meeting meeting;
    meeting.clock = clock;
    meeting.publishes = true;
    kept_.published.push_back(what);
    Meet(meeting);
}

/// Polls at the end, which a later round of their loop may stand for.
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
    // Of a loop that waits the latest round stands for those before it.
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

void CoreLog::Note(Doubt doubt) {
    doubt.meetings = taken_.meetings + kept_.meetings.size();
    kept_.doubts.push_back(doubt);
}

void CoreLog::TakeSettled(bool all, Stretch* to) {
    size_t settled = Count();
    for (const Open& open : open_) {
        if (!all && MayGrow(open, changes_)) {
            settled = std::min(settled, open.entry);
        }
    }
    // Behind the latest meeting there are none, and a run that may grow lies behind it, too.
    const size_t accesses = settled - taken_.accesses;
    const size_t meetings = kept_.meetings.size() - (all ? 0 : LatestPolls());
    const auto first = kept_.accesses.begin() + static_cast<ptrdiff_t>(accesses);
    const auto later = std::count_if(first, kept_.accesses.end(),
                                     [](const Entry& entry) { return entry.strided; });
    taken_.accesses += accesses;
    taken_.meetings += meetings;
    const auto doubts =
        std::find_if(kept_.doubts.begin(), kept_.doubts.end(),
                     [&](const Doubt& doubt) { return !all && doubt.meetings > taken_.meetings; });
    Move(&kept_.runs, kept_.runs.size() - static_cast<size_t>(later), &to->runs);
    Move(&kept_.accesses, accesses, &to->accesses);
    Move(&kept_.polls, kept_.polls.size() - (kept_.meetings.size() - meetings), &to->polls);
    Move(&kept_.published, kept_.published.size(), &to->published);
    Move(&kept_.meetings, meetings, &to->meetings);
    Move(&kept_.doubts, static_cast<size_t>(doubts - kept_.doubts.begin()), &to->doubts);
}

void LogReader::Take(Stretch stretch) {
    before_ += stretch_.accesses.size();
    stretch_ = std::move(stretch);
    access_ = runs_ = meeting_ = published_ = poll_ = doubt_ = 0;
}

GmAccess LogReader::NextAccess() {
    const Entry& entry = stretch_.accesses[access_++];
    GmAccess access;
    access.begin = entry.begin;
    access.runs = entry.strided ? stretch_.runs[runs_++] : Runs(entry.runs);
    access.access.index = entry.index;
    access.access.sequence = entry.sequence;
    access.access.site = entry.site;
    access.access.lane = entry.lane;
    access.access.kind = entry.kind;
    access.write = entry.write;
    access.cached = entry.cached;
    access.told = entry.told;
    access.word = entry.word;
    return access;
}

void LogReader::Pass() {
    const Meeting& meeting = stretch_.meetings[meeting_++];
    published_ += meeting.publishes ? 1 : 0;
    poll_ += meeting.polls ? 1 : 0;
    ++passed_;
}

const Doubt* LogReader::NextDoubt(bool all) {
    if (doubt_ == stretch_.doubts.size() || (!all && stretch_.doubts[doubt_].meetings > passed_)) {
        return nullptr;
    }
    return &stretch_.doubts[doubt_++];
}

}  // namespace twin::hazard
