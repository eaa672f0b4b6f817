// SPDX-License-Identifier: Apache-2.0
#include "hazard/log.h"

#include <algorithm>
#include <cstring>

namespace twin::hazard {
namespace {

constexpr size_t kPolledTogether = 64;  ///< words that a loop goes round

bool IsOneRun(const Runs& runs) { return runs.block.count == 1 && runs.repeat.count == 1; }

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
    Open& open = open_[site];
    if (open.entry != SIZE_MAX && open.entry >= segment_ && open.changes == changes &&
        Grow(&accesses_[open.entry], added)) {
        return;
    }
    if (accesses_.size() >= kMost) {
        full_ = true;
        return;
    }
    open = {accesses_.size(), changes};
    accesses_.push_back(Pack(added));
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

CoreLog::Entry CoreLog::Pack(const GmAccess& access) {
    Entry entry{};
    entry.begin = access.begin;
    entry.strided = !IsOneRun(access.runs) || access.runs.bytes > UINT32_MAX;
    if (entry.strided) {
        runs_.push_back(access.runs);
    }
    entry.runs =
        static_cast<uint32_t>(entry.strided ? runs_.size() - 1 : size_t{access.runs.bytes});
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

GmAccess CoreLog::At(size_t number) const {
    const Entry& entry = accesses_[number];
    GmAccess access;
    access.begin = entry.begin;
    access.runs = entry.strided ? runs_[entry.runs] : Runs(entry.runs);
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

void CoreLog::Meet(const Meeting& meeting) {
    meetings_.push_back(meeting);
    meetings_.back().at = accesses_.size();
    segment_ = accesses_.size();
}

void CoreLog::Publish(const Published& what, const Clock& clock) {
    Meeting meeting;
    meeting.clock = clock;
    meeting.published = static_cast<int32_t>(published_.size());
    published_.push_back(what);
    Meet(meeting);
}

void CoreLog::Read(const Poll& poll) {
    // Of a loop that waits the latest round stands for those before it.
    for (size_t i = 0; i < std::min(meetings_.size(), kPolledTogether); ++i) {
        const Meeting& meeting = meetings_[meetings_.size() - 1 - i];
        if (meeting.poll < 0 || meeting.at != accesses_.size()) {
            break;
        }
        Poll& before = polls_[static_cast<size_t>(meeting.poll)];
        if (before.access.access.site == poll.access.access.site &&
            before.access.begin == poll.access.begin) {
            before = poll;
            return;
        }
    }
    Meeting meeting;
    meeting.poll = static_cast<int32_t>(polls_.size());
    polls_.push_back(poll);
    Meet(meeting);
}

}  // namespace twin::hazard
