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

Replay::Replay(BlockShape shape, uint32_t cores, std::vector<Part> parts, Inbox* inbox,
               Reports reports)
    : shape_(shape),
      coreCount_(cores),
      parts_(std::move(parts)),
      inbox_(inbox),
      reports_(std::move(reports)),
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

bool Replay::Run(uint64_t most) {
    const uint64_t end = most > UINT64_MAX - done_ ? UINT64_MAX : done_ + most;
    Announce();
    while (!over_) {
        if (current_ == UINT32_MAX) {
            current_ = ready_.Lowest();
            if (current_ == UINT32_MAX) {
                over_ = !Force();
                continue;
            }
            ready_.Remove(current_);
        }
        if (Advance(current_, end) != Stop::Waits) {
            return false;
        }
        current_ = UINT32_MAX;
    }
    DecideRest();
    return true;
}

/// Goes on with a core until it has to wait, or `end` is reached.
Replay::Stop Replay::Advance(uint32_t core, uint64_t end) {
    LogReader& log = cores_[core].log;
    for (;;) {
        const Meeting* const meeting = log.Next();
        while (meeting == nullptr ? log.HasAccess() : log.At() < meeting->at) {
            if (done_ >= end) {
                return Stop::Enough;
            }
            ++done_;
            Touch(core, log.NextAccess());
        }
        while (const Doubt* const doubt = log.NextDoubt()) {
            Decide(core, *doubt);
        }
        if (meeting == nullptr) {
            const Inbox::Got got = Refill(core);
            if (got != Inbox::Got::More) {
                return got == Inbox::Got::Ended ? Stop::Waits : Stop::NotYet;
            }
            continue;
        }
        if (done_ >= end) {
            return Stop::Enough;
        }
        const Passes passes = Pass(core, *meeting);
        if (passes != Passes::Yes) {
            return passes == Passes::Waits ? Stop::Waits : Stop::NotYet;
        }
        ++done_;
        log.Pass();
    }
}

Inbox::Got Replay::Refill(uint32_t core) {
    Stretch stretch;
    const Inbox::Got got = inbox_->Take(core, &stretch);
    if (got == Inbox::Got::More) {
        cores_[core].log.Take(std::move(stretch));
    }
    return got;
}

/// All that the core passed before this has come to it, nothing of what comes later.
void Replay::Decide(uint32_t core, const Doubt& doubt) {
    if (Own(core, *cores_[core].knows).Covers(doubt.lane, doubt.index)) {
        reports_.knew(parts_[core], doubt);
    }
}

void Replay::DecideRest() {
    for (uint32_t core = 0; core < cores_.size(); ++core) {
        do {
            while (const Doubt* const doubt = cores_[core].log.NextDoubt(true)) {
                Decide(core, *doubt);
            }
        } while (Refill(core) == Inbox::Got::More);
    }
}

Replay::Passes Replay::Pass(uint32_t core, const Meeting& meeting) {
    const auto unless = [](bool waits) { return waits ? Passes::Waits : Passes::Yes; };
    if (meeting.polls) {
        return PassPoll(core, cores_[core].log.NextPoll());
    }
    if (meeting.publishes) {
        Publish(core, meeting);
    } else if (meeting.flag >= 0 && meeting.mode < 0) {
        return unless(!WaitFlag(core, meeting));
    } else if (meeting.flag >= 0) {
        SetFlag(core, meeting);
    } else if (meeting.sync.what == CoreSync::What::Release) {
        Release(core, meeting);
    } else {
        return unless(!Acquire(core, meeting));
    }
    return Passes::Yes;
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
    Known& knows = cores_[core].knows;
    knows = Joined(knows, known);
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
        reports_.clash({stale ? "T312" : "T313", stale ? "stale read" : "lost update", begin,
                        end - begin, write, now});
    }
}

void Replay::JudgeUnordered(const Mark& first, const Mark& second, uint64_t begin,
                            const RunEnd& end) {
    const auto found = [&](const char* code, const char* kind) {
        reports_.clash({code, kind, begin, end - begin, first, second});
    };
    if (first.cached == Cached::WholeLine || second.cached == Cached::WholeLine) {
        if (first.write && second.write) {
            found("T313", "two cores in one line");
        }
    } else if (first.access.kind != kPlain || second.access.kind != kPlain) {
        if (first.access.kind != second.access.kind) {
            const bool turned = StageOfSum(second) < StageOfSum(first);
            reports_.clash({"T314", "atomic and other access inter-core", begin, end - begin,
                            turned ? second : first, turned ? first : second});
        }
    } else if (first.write && second.write) {
        found("T813", "WAW inter-core");
    } else if (IsLate(first, second) || IsLate(second, first)) {
        const bool turned = IsLate(second, first);
        reports_.clash({"T311", "scalar write not written back", begin, end - begin,
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
