// SPDX-License-Identifier: Apache-2.0
#include "hazard/replay.h"

#include <utility>

namespace twin::hazard {

ReadyCores::ReadyCores(size_t cores) : words_(cores / 64 + 1) {
    for (uint32_t core = 0; core < cores; ++core) {
        Add(core);
    }
}

uint32_t ReadyCores::Current() {
    if (current_ != kNone) {
        return current_;
    }
    while (low_ < words_.size() && words_[low_] == 0) {
        ++low_;
    }
    if (low_ != words_.size()) {
        const auto bit = static_cast<size_t>(__builtin_ctzll(words_[low_]));
        words_[low_] &= ~(uint64_t{1} << bit);
        current_ = static_cast<uint32_t>(low_ * 64 + bit);
    }
    return current_;
}

Replay::Replay(BlockShape shape, uint32_t cores, std::vector<LogicalCore> logical, Reports reports)
    : queues_(logical.size()),
      logs_(logical.size()),
      ready_(logical.size()),
      clocks_(std::move(logical)),
      flags_(shape, cores),
      words_(clocks_.Count()),
      races_(clocks_.Count(), std::move(reports.race)),
      ordered_(std::move(reports.ordered)) {}

bool Replay::Run(uint64_t most) {
    const uint64_t end = most > UINT64_MAX - done_ ? UINT64_MAX : done_ + most;
    words_.Announce(queues_.TakeAnnounced());
    while (!over_) {
        const uint32_t core = ready_.Current();
        if (core == ReadyCores::kNone) {
            over_ = !Force();
            continue;
        }
        if (Advance(core, end) != Stop::Waits) {
            return false;
        }
        ready_.CurrentWaits();
    }
    DecideRest();
    return true;
}

/// Processes a core's log until the core must wait, an entry is missing, or `end` is reached.
Replay::Stop Replay::Advance(uint32_t core, uint64_t end) {
    LogReader& log = logs_[core];
    for (;;) {
        const Meeting* const meeting = log.Next();
        while (meeting == nullptr ? log.HasAccess() : log.At() < meeting->at) {
            if (done_ >= end) {
                return Stop::Enough;
            }
            ++done_;
            races_.Check(core, log.NextAccess(), clocks_, words_);
        }
        while (const TentativeFinding* const finding = log.NextTentative()) {
            Decide(core, *finding);
        }
        if (meeting == nullptr) {
            const SegmentQueues::Got got = Refill(core);
            if (got != SegmentQueues::Got::More) {
                return got == SegmentQueues::Got::Ended ? Stop::Waits : Stop::NotYet;
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

SegmentQueues::Got Replay::Refill(uint32_t core) {
    LogSegment segment;
    const SegmentQueues::Got got = queues_.Take(core, &segment);
    if (got == SegmentQueues::Got::More) {
        logs_[core].Take(std::move(segment));
    }
    return got;
}

/// Reports the finding as ordered if the core's clock shows that the earlier access had ended.
void Replay::Decide(uint32_t core, const TentativeFinding& finding) {
    if (clocks_.Own(core).Covers(finding.lane, finding.index)) {
        ordered_(clocks_.At(core), finding);
    }
}

void Replay::DecideRest() {
    for (uint32_t core = 0; core < logs_.size(); ++core) {
        do {
            while (const TentativeFinding* const finding = logs_[core].NextTentative(true)) {
                Decide(core, *finding);
            }
        } while (Refill(core) == SegmentQueues::Got::More);
    }
}

/// Notes that a core and its work for Matmul clients may be able to continue.
void Replay::MakeReady(uint32_t core) {
    ready_.Add(core);
    for (const uint32_t other : clocks_.Around(core)) {
        ready_.Add(other);
    }
}

Replay::Passes Replay::Pass(uint32_t core, const Meeting& meeting) {
    if (meeting.polls) {
        return PassPoll(core, logs_[core].NextPoll());
    }
    if (meeting.publishes) {
        for (const uint32_t waiting :
             words_.Publish(logs_[core].NextPublished(), clocks_.Release(core, meeting.clock))) {
            ready_.Add(waiting);
        }
        return Passes::Yes;
    }
    if (meeting.flag >= 0) {
        return PassFlag(core, meeting);
    }
    if (meeting.sync.what != CoreSync::What::Release) {
        return PassAcquire(core, meeting);
    }
    for (const uint32_t waiting :
         objects_.Release(meeting.sync, clocks_.Release(core, meeting.clock))) {
        ready_.Add(waiting);
    }
    return Passes::Yes;
}

Replay::Passes Replay::PassAcquire(uint32_t core, const Meeting& meeting) {
    const SharedClock clock = objects_.Acquire(meeting.sync, core, clocks_.Nothing());
    if (clock == nullptr) {
        if (!meeting.mayMiss || !ready_.IsForced(core)) {
            return Passes::Waits;
        }
        ready_.EndForce();
        return Passes::Yes;
    }
    clocks_.Acquire(core, clock);
    return Passes::Yes;
}

Replay::Passes Replay::PassFlag(uint32_t core, const Meeting& meeting) {
    const uint32_t where = clocks_.At(core).core;
    if (meeting.mode >= 0) {
        for (const uint32_t raised :
             flags_.Set(where, meeting.mode, meeting.flag, clocks_.Release(core, meeting.clock))) {
            MakeReady(raised);
        }
        return Passes::Yes;
    }
    const SharedClock clock = flags_.Wait(where, meeting.flag);
    if (clock == nullptr) {
        return Passes::Waits;
    }
    clocks_.Acquire(core, clock);
    return Passes::Yes;
}

Replay::Passes Replay::PassPoll(uint32_t core, const Poll& poll) {
    const ReleasedLine* const found = words_.Find(core, poll);
    if (found == nullptr && !ready_.IsForced(core)) {
        const bool all = queues_.OthersEnded(core);  // read first: cores announce before they end
        words_.Announce(queues_.TakeAnnounced());
        if (words_.Comes(core, poll)) {
            words_.WaitForWord(core);
            return Passes::Waits;
        }
        if (!all) {
            return Passes::NotYet;
        }
    }
    ready_.EndForce();
    GmAccess access = poll.access;
    if (found != nullptr && found->release.core != core) {
        const PublishedLine& what = found->what;
        const Clock& known = (*clocks_.Of(core))[found->release.core];
        if (!known.Covers(what.access.lane, what.access.index) && !words_.Found(core, *found)) {
            if (known.ended[kScalarRead] > what.scalarEpoch) {
                // The core is ordered after later instructions of the writer, but not after this
                // write. So reading the value gives no order.
                access.word = false;
            } else {
                words_.NoteFound(core, *found);
                clocks_.Acquire(core, Joined({found->release}));
            }
        }
    }
    if (access.cached == Cached::Read) {
        races_.LoadLine(core, poll.line, clocks_.Of(core));
    }
    races_.Check(core, access, clocks_, words_);
    return Passes::Yes;
}

/// Lets one core continue although all cores wait: the lowest core that polls a word or waits for a
/// release which may never come. Such a poll has read an older value of the word.
bool Replay::Force() {
    for (uint32_t core = 0; core < logs_.size(); ++core) {
        const Meeting* const next = logs_[core].Next();
        if (next != nullptr && (next->polls || next->mayMiss)) {
            ready_.Force(core);
            return true;
        }
    }
    return false;
}

}  // namespace twin::hazard
