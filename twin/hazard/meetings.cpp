// SPDX-License-Identifier: Apache-2.0
// Where a core's order meets that of other cores, and for whom a cube core works.
#include <algorithm>

#include "hazard/between.h"
#include "hazard/core_checker.h"

namespace twin::hazard {
namespace {

/// Where a cube core and the parts of it that work for clients begin and end. Clients meet it at
/// other objects of the block: channel.cpp.
CoreSync ServiceOf(uint32_t block, CoreSync::What what, uint32_t first, uint32_t count) {
    CoreSync sync;
    sync.what = what;
    sync.member = sync.first = first;
    sync.count = count;
    sync.object = (uint64_t{block} << 16) + 5;
    return sync;
}

/// Whether it tells others by a copy out: of Matmul's message, or to the counters of GroupBarrier.
/// Both come after what the scalar unit and the copies out before them have done, not after loads.
bool TellsByCopy(const Instruction& i) {
    return i.opcode == Opcode::MatmulRequest ||
           (i.pipe == Pipe::Mte3 && (i.opcode == Opcode::Arrive || i.opcode == Opcode::Wait));
}

CoreSync PairOf(const CoreSync& from, CoreSync::What what, uint32_t member) {
    CoreSync sync;
    sync.what = what;
    sync.member = sync.first = member;
    sync.count = 1;
    sync.round = from.pairRound;
    sync.object = from.pair;
    return sync;
}

}  // namespace

void CoreChecker::Meet(const Instruction& i) {
    const auto* const cross = i.As<record::CrossFlag>();
    acquired_ = acquired_ || cross != nullptr || i.Syncs() == CoreSync::What::Acquire;
    if (cross != nullptr) {
        Meeting meeting;
        meeting.flag = cross->id;
        meeting.mode = cross->mode;
        std::deque<Clock>& own = ownSets_[meeting.flag];
        NoteUse(i, *cross);
        if (meeting.mode >= 0) {
            meeting.clock = clocks_.After(LaneOf(i.pipe));
            // In modes 0 and 1 the counter goes up when this core's own set has come, too.
            if (meeting.mode < 2) {
                own.push_back(meeting.clock);
            }
        } else if (!own.empty()) {
            clocks_.Resume(own.front());
            own.pop_front();
        }
        logs[part_].Meet(meeting);
        Logged(true);
        return;
    }
    if (i.Syncs() == CoreSync::What::None || i.Syncs() == CoreSync::What::Inside) {
        return;
    }
    const CoreSync& given = i.As<record::Meeting>()->sync;
    CoreSync sync = given;
    if (sync.what == CoreSync::What::Meet) {
        sync.what = CoreSync::What::Release;
        Log(sync, clocks_.AfterAll());
        sync.what = CoreSync::What::Acquire;
    }
    if (i.opcode == Opcode::MatmulAccept) {
        BeginService(i, given);
    }
    asks_ = asks_ || i.opcode == Opcode::MatmulRequest;
    Clock clock = clocks_.AfterAll();
    if (TellsByCopy(i)) {
        const uint32_t written = clock.ended[kS];
        clock = clocks_.After(kMte3);
        clock.ended[kS] = written;
    }
    if (sync.pair != 0) {
        MeetPair(i.opcode, given, clock);
    }
    Log(sync, clock);
    if (i.opcode == Opcode::MatmulServe) {
        served_[part_] = static_cast<uint32_t>(i.sequence) - shift_;
        part_ = 0;
        shift_ = 0;
    }
}

void CoreChecker::NoteUse(const Instruction& i, const record::CrossFlag& flag) {
    CrossUse& use = crossUses[flag.id];
    if (flag.Waits()) {
        ++use.waits;
        return;
    }
    ++use.sets[flag.mode];
    use.where = i.where;
    use.pipe = i.pipe;
    use.sequence = i.sequence;
}

void CoreChecker::Log(const CoreSync& sync, const Clock& clock, bool mayMiss) {
    Meeting meeting;
    meeting.sync = sync;
    meeting.clock = clock;
    meeting.mayMiss = mayMiss;
    logs[part_].Meet(meeting);
    Logged(true);
}

/// The log has got longer. Others may wait for what it has before a meeting.
void CoreChecker::Logged(bool met) {
    if (++logged_ == Between::kTurn) {
        logged_ = 0;
        between_->Turn(this);
    } else if (met && between_->Runs()) {
        between_->Hand(this, part_);
    }
}

/// The latest finding is none if the core knew through others that `before` had ended.
void CoreChecker::Doubted(const Access& before) {
    Doubt doubt;
    doubt.finding = findings.Latest();
    doubt.lane = before.lane;
    doubt.index = before.index;
    logs[part_].Note(doubt);
    doubted_.resize(std::max(doubted_.size(), doubt.finding + 1));
    ++doubted_[doubt.finding];
}

void CoreChecker::TakeBackDoubts() {
    for (size_t finding = 0; finding < doubted_.size(); ++finding) {
        findings.TakeBack(finding, doubted_[finding]);
    }
    findings.DropTakenBack();
}

/// A cube core works for its clients in the order in which they happen to ask: what it does for one
/// of them is a log of its own, which knows what the core had done before it served anybody.
void CoreChecker::BeginService(const Instruction& i, const CoreSync& sync) {
    if (!serving_) {
        Log(ServiceOf(block, CoreSync::What::Release, 0, 1), Clock());
        serving_ = true;
        ++services_;
    }
    logs.resize(1 + kClients);
    part_ = sync.client;
    shift_ = static_cast<uint32_t>(i.sequence) - served_[part_];
    for (; joined_[part_] < services_; ++joined_[part_]) {
        CoreSync begin = ServiceOf(block, CoreSync::What::Acquire, 0, 1);
        begin.round = joined_[part_];
        Log(begin, Clock());
    }
}

/// What a cube core does after it has served comes after all that it did for clients.
void CoreChecker::EndService() {
    if (!serving_ || part_ != 0) {
        return;
    }
    serving_ = false;
    for (part_ = 1; part_ <= kClients; ++part_) {
        Log(ServiceOf(block, CoreSync::What::Release, part_, 1), Clock());
    }
    part_ = 0;
    CoreSync end = ServiceOf(block, CoreSync::What::Acquire, 1, kClients);
    end.round = services_ - 1;
    Log(end, Clock());
}

/// Two clients that ask for one product: it comes after both have asked, and both answers after it.
void CoreChecker::MeetPair(Opcode opcode, const CoreSync& sync, const Clock& clock) {
    const bool follows = sync.follows;
    if (opcode == Opcode::MatmulRequest && follows) {
        Log(PairOf(sync, CoreSync::What::Release, 0), clock);
    } else if (opcode == Opcode::MatmulAccept) {
        Log(PairOf(sync, CoreSync::What::Acquire, follows ? 1 : 0), Clock(), !follows);
    } else if (opcode == Opcode::MatmulServe && !follows) {
        Log(PairOf(sync, CoreSync::What::Release, 1), clock);
    }
}

}  // namespace twin::hazard
