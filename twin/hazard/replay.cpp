// SPDX-License-Identifier: Apache-2.0
#include "hazard/replay.h"

#include <algorithm>
#include <utility>

#include "core/data_cache.h"

namespace twin::hazard {
namespace {

constexpr uint64_t kLineBytes = DataCache::kLineBytes;

/// Sums are cleared, added to, read: of what is in no order, the advice is for this one.
uint32_t StageOfSum(const Mark& mark) {
    return mark.access.kind != kPlain ? 1 : (mark.write ? 0 : 2);
}

}  // namespace

ReadyCores::ReadyCores(size_t cores) : words_(cores / 64 + 1) {
    for (uint32_t core = 0; core < cores; ++core) {
        Add(core);
    }
}

uint32_t ReadyCores::Lowest() {
    while (low_ < words_.size() && words_[low_] == 0) {
        ++low_;
    }
    return low_ == words_.size()
               ? UINT32_MAX
               : static_cast<uint32_t>(low_ * 64 +
                                       static_cast<size_t>(__builtin_ctzll(words_[low_])));
}

Replay::Replay(BlockShape shape, uint32_t cores, std::vector<Part> parts,
               std::function<void(const Clash&)> report)
    : shape_(shape),
      coreCount_(cores),
      parts_(std::move(parts)),
      report_(std::move(report)),
      cores_(parts_.size()),
      ready_(parts_.size()),
      nothing_(std::make_shared<const Knowledge>(parts_.size())) {
    for (uint32_t part = cores; part < parts_.size(); ++part) {
        cores_[part].around.push_back(parts_[part].core);
        cores_[parts_[part].core].around.push_back(part);
    }
    for (CoreState& core : cores_) {
        core.knows = nothing_;
    }
}

void Replay::Run() {
    Announce();
    do {
        for (uint32_t core = ready_.Lowest(); core != UINT32_MAX; core = ready_.Lowest()) {
            ready_.Remove(core);
            Advance(core);
        }
    } while (Force());
}

bool Replay::Knew(uint32_t core, size_t meetings, Lane lane, uint32_t index) const {
    const auto& returned = cores_[core].returned;
    for (auto at = returned.rbegin(); at != returned.rend(); ++at) {
        if (at->first < meetings) {
            return at->second.Covers(lane, index);
        }
    }
    return false;
}

void Replay::Advance(uint32_t core) {
    if (parts_[core].log == nullptr) {
        return;
    }
    CoreState& state = cores_[core];
    const CoreLog& log = *parts_[core].log;
    const auto& meetings = log.Meetings();
    for (;;) {
        const bool meets = state.meeting < meetings.size();
        const size_t end = meets ? meetings[state.meeting].at : log.Count();
        while (state.access < end) {
            Touch(core, log.At(state.access++));
        }
        if (!meets || !Pass(core, meetings[state.meeting])) {
            return;
        }
        ++state.meeting;
    }
}

bool Replay::Pass(uint32_t core, const Meeting& meeting) {
    if (meeting.poll >= 0) {
        return PassPoll(core, parts_[core].log->Polls()[static_cast<size_t>(meeting.poll)]);
    }
    if (meeting.published >= 0) {
        Publish(core, meeting);
        return true;
    }
    if (meeting.flag >= 0) {
        if (meeting.mode < 0) {
            return WaitFlag(core, meeting);
        }
        SetFlag(core, meeting);
        return true;
    }
    if (meeting.sync.what == CoreSync::What::Release) {
        Release(core, meeting);
        return true;
    }
    return Acquire(core, meeting);
}

Told Replay::Tell(uint32_t core, const Meeting& meeting) const {
    Told told{cores_[core].knows, core, meeting.clock};
    if (!cores_[core].around.empty()) {
        // The clock is that of the core's pipes: it counts what others had them do, too.
        auto knew = std::make_shared<Knowledge>(*told.knew);
        for (const uint32_t part : cores_[core].around) {
            (*knew)[part].Join(meeting.clock);
        }
        told.knew = std::move(knew);
    }
    return told;
}

Clock Replay::Own(uint32_t core, const Knowledge& knows) const {
    Clock own = knows[core];
    own.Join(knows[parts_[core].core]);
    return own;
}

void Replay::Learn(uint32_t core, const Known& known) {
    CoreState& state = cores_[core];
    Known knows = Joined(state.knows, known);
    const Clock own = Own(core, *knows);
    if (own.ended != Own(core, *state.knows).ended) {
        state.returned.emplace_back(state.meeting, own);
    }
    state.knows = std::move(knows);
}

void Replay::Release(uint32_t core, const Meeting& meeting) {
    for (const uint32_t waiting : releases_.Add(meeting.sync, Tell(core, meeting))) {
        ready_.Add(waiting);
    }
}

bool Replay::Acquire(uint32_t core, const Meeting& meeting) {
    const Known known = releases_.Take(meeting.sync, core, nothing_);
    if (known == nullptr) {
        if (!meeting.mayMiss || forced_ != core) {
            return false;
        }
        forced_ = UINT32_MAX;
        return true;
    }
    Learn(core, known);
    return true;
}

void Replay::SetFlag(uint32_t core, const Meeting& meeting) {
    const auto mode = static_cast<uint32_t>(meeting.mode);
    const auto flag = static_cast<uint32_t>(meeting.flag);
    const uint32_t where = parts_[core].core;
    flags_.resize(coreCount_);
    flags_[where].sent[mode][flag].push_back(Tell(core, meeting));
    const uint32_t first = mode == 0 ? 0 : shape_.BlockOf(where) * shape_.Cores();
    const uint32_t end = mode == 0 ? coreCount_ : first + shape_.Cores();
    const CoreKind kind = shape_.KindOf(where);
    for (uint32_t other = first; other < end; ++other) {
        if (shape_.KindOf(other) == kind && flags_[other].sent[mode][flag].empty()) {
            return;
        }
    }
    std::vector<Told> all;
    for (uint32_t other = first; other < end; ++other) {
        if (shape_.KindOf(other) == kind) {
            all.push_back(std::move(flags_[other].sent[mode][flag].front()));
            flags_[other].sent[mode][flag].pop_front();
        }
    }
    const Known known = Joined(all);
    for (uint32_t other = first; other < end; ++other) {
        // Mode 2 goes to the other side of the block, the others come back to those who set.
        if ((shape_.KindOf(other) == kind) == (mode != 2)) {
            flags_[other].received[flag].push_back(known);
            ready_.Add(other);
            for (const uint32_t part : cores_[other].around) {
                ready_.Add(part);
            }
        }
    }
}

bool Replay::WaitFlag(uint32_t core, const Meeting& meeting) {
    if (flags_.empty()) {
        return false;
    }
    std::deque<Known>& received =
        flags_[parts_[core].core].received[static_cast<size_t>(meeting.flag)];
    if (received.empty()) {
        return false;
    }
    Learn(core, received.front());
    received.pop_front();
    return true;
}

void Replay::Touch(uint32_t core, const GmAccess& access) {
    CoreState& state = cores_[core];
    if (access.cached == Cached::Load) {
        state.lines[access.begin] = state.knows;
        return;
    }
    const Mark now{core, access.access, access.write, access.cached, access.told, access.word};
    memory_.Touch(access.begin, access.runs,
                  [&](const Marks& before, uint64_t begin, const RunEnd& end, Marks* after) {
                      return Look(before, now, begin, end, after);
                  });
}

Change Replay::Look(const Marks& before, const Mark& now, uint64_t begin, const RunEnd& end,
                    Marks* after) {
    const Knowledge& knows = *cores_[now.core].knows;
    const bool plainWrite =
        now.write && now.access.kind == kPlain && now.cached != Cached::WholeLine;
    after->clear();
    for (const Mark& mark : before) {
        if (!Together(mark.core, now.core) && (mark.write || now.write)) {
            Judge(mark, now, begin, end);
        }
        const bool same = mark.core == now.core && mark.access.lane == now.access.lane &&
                          mark.write == now.write && mark.access.kind == now.access.kind &&
                          mark.cached == now.cached;
        // Whoever clashes with what is over clashes with the write that follows, too.
        const bool over = plainWrite && mark.core != now.core && Ordered(mark, knows);
        if (!same && !over) {
            after->push_back(mark);
        }
    }
    after->push_back(now);
    return after->size() == 1 ? Change::Shared : Change::Own;
}

void Replay::Judge(const Mark& before, const Mark& now, uint64_t begin, const RunEnd& end) {
    if (Ordered(before, *cores_[now.core].knows)) {
        JudgeLine(before, now, begin, end);
    } else if (!HandedOver(before, now)) {
        // Neither comes first: they are named in the order of cores.
        const auto place = [this](const Mark& mark) {
            return std::make_pair(parts_[mark.core].core, mark.core);
        };
        const bool turned = place(now) < place(before);
        JudgeUnordered(turned ? now : before, turned ? before : now, begin, end);
    }
}

/// The write is over, but a line of the data cache may have come in before it.
void Replay::JudgeLine(const Mark& write, const Mark& now, uint64_t begin, const RunEnd& end) {
    const bool stale = now.cached == Cached::Read;
    const bool lost = now.cached == Cached::WholeLine;
    if ((!stale && !lost) || !write.write || write.cached == Cached::WholeLine) {
        return;
    }
    const auto& lines = cores_[now.core].lines;
    const auto line = lines.find(begin / kLineBytes * kLineBytes);
    if (line != lines.end() && !Ordered(write, *line->second)) {
        report_({stale ? "T312" : "T313", stale ? "stale read" : "lost update", begin, end - begin,
                 write, now});
    }
}

void Replay::JudgeUnordered(const Mark& first, const Mark& second, uint64_t begin,
                            const RunEnd& end) {
    const auto found = [&](const char* code, const char* kind) {
        report_({code, kind, begin, end - begin, first, second});
    };
    if (first.cached == Cached::WholeLine || second.cached == Cached::WholeLine) {
        if (first.write && second.write) {
            found("T313", "two cores in one line");
        }
    } else if (first.access.kind != kPlain || second.access.kind != kPlain) {
        if (first.access.kind != second.access.kind) {
            const bool turned = StageOfSum(second) < StageOfSum(first);
            report_({"T314", "atomic and other access inter-core", begin, end - begin,
                     turned ? second : first, turned ? first : second});
        }
    } else if (first.write && second.write) {
        found("T813", "WAW inter-core");
    } else if (IsLate(first, second) || IsLate(second, first)) {
        const bool turned = IsLate(second, first);
        report_({"T311", "scalar write not written back", begin, end - begin,
                 turned ? second : first, turned ? first : second});
    } else {
        found(first.write ? "T811" : "T812", first.write ? "RAW inter-core" : "WAR inter-core");
    }
}

/// The reader was told of the scalar write, which was still in the writer's data cache.
bool Replay::IsLate(const Mark& write, const Mark& read) const {
    return write.write && write.cached == Cached::Late &&
           (*cores_[read.core].knows)[write.core].ended[kScalarRead] >= write.told;
}

}  // namespace twin::hazard
