// SPDX-License-Identifier: Apache-2.0
#include "timing/replay.h"

#include <algorithm>

namespace twin::timing {
namespace {

/// Returns the time from when the last of `cores` cores arrives until all of them go on.
Ticks MeetingTicks(size_t cores) {
    return Cycles(constant::kSyncAll.value) + cores * Cycles(constant::kSyncAllCore.value);
}

}  // namespace

Replay::Replay(const SocInfo& soc, const std::vector<const Program*>& programs,
               Operations& operations, uint64_t most, uint32_t without, bool warm)
    : soc_(soc),
      programs_(programs),
      operations_(operations),
      mostPerCore_(MostPerCore(most)),
      costs_(without, warm, CoresOf(CoreKind::Aic), CoresOf(CoreKind::Aiv)),
      memory_(soc) {
    bool cube = false, vector = false;
    for (uint32_t i = 0; i < programs.size(); ++i) {
        const Program& program = *programs[i];
        (program.kind == CoreKind::Aic ? cube : vector) = true;
        cores_.push_back(std::make_unique<CoreClock>(program, i, *this, costs_, operations));
        if (blocks_.size() <= program.block) {
            blocks_.resize(program.block + 1);
        }
        blocks_[program.block].push_back(i);
    }
    mix_ = cube && vector;
    for (const auto& block : blocks_) {
        open_.push_back(static_cast<uint32_t>(block.size()));
    }
    isAwake_.resize(cores_.size());
    ended_.resize(cores_.size());
}

uint64_t Replay::MostPerCore(uint64_t most) const {
    std::vector<uint64_t> counts;
    counts.reserve(programs_.size());
    for (const Program* const program : programs_) {
        counts.push_back(program->instructions);
    }
    std::sort(counts.begin(), counts.end());
    // Cores with few instructions leave their part to the cores with more.
    for (size_t i = 0; i < counts.size(); ++i) {
        const uint64_t share = most / (counts.size() - i);
        if (counts[i] > share) {
            return share;
        }
        most -= counts[i];
    }
    return UINT64_MAX;
}

uint32_t Replay::CoresOf(CoreKind kind) const {
    const auto all =
        std::count_if(programs_.begin(), programs_.end(),
                      [kind](const Program* program) { return program->kind == kind; });
    return std::min(static_cast<uint32_t>(all),
                    kind == CoreKind::Aic ? soc_.aicCores : soc_.aivCores);
}

Ticks Replay::StartTicks(Startup term, const Constant& us) const {
    return costs_.Of(term, Cycles(us.value * soc_.cubeMHz));
}

void Replay::Wake(uint32_t core) {
    if (!isAwake_[core]) {
        isAwake_[core] = true;
        awake_.push_back(core);
    }
}

void Replay::StartBlock(uint32_t block, Ticks when, StartupTimes before, bool first) {
    before[static_cast<uint32_t>(Startup::Core)] = StartTicks(Startup::Core, constant::kCoreStart);
    for (const uint32_t core : blocks_[block]) {
        cores_[core]->Begin(when, mostPerCore_, before, first);
        Wake(core);
    }
}

void Replay::StartBlocks(Ticks when) {
    const bool cube = cores_.front()->program().kind == CoreKind::Aic;
    const uint32_t places = cube ? soc_.aicCores : soc_.aivCores;
    const size_t first = std::min<size_t>(places, blocks_.size());
    StartupTimes before = {};
    const auto term = [&before](Startup which) -> Ticks& {
        return before[static_cast<uint32_t>(which)];
    };
    term(Startup::Launch) = StartTicks(Startup::Launch, constant::kLaunch);
    term(Startup::Mix) = mix_ ? StartTicks(Startup::Mix, constant::kMixStart) : 0;
    for (when += term(Startup::Mix); nextBlock_ < first; ++nextBlock_) {
        term(Startup::Blocks) = nextBlock_ * StartTicks(Startup::Blocks, constant::kBlockStart);
        StartBlock(nextBlock_, when + term(Startup::Blocks), before, true);
    }
}

void Replay::NoteEnd(CoreClock& core) {
    ended_[core.index()] = true;
    core.Finish();
    const uint32_t block = core.program().block;
    if (--open_[block] == 0 && nextBlock_ < blocks_.size()) {
        const CoreClock* last = cores_[blocks_[block].front()].get();
        for (const uint32_t member : blocks_[block]) {
            last = cores_[member]->end() > last->end() ? cores_[member].get() : last;
        }
        const uint32_t next = nextBlock_++;
        StartBlock(next, last->end(), {}, false);
        for (const uint32_t member : blocks_[next]) {
            cores_[member]->AddStartup(last->startup());
        }
    }
}

void Replay::WakeAll() {
    while (!awake_.empty()) {
        CoreClock& core = *cores_[awake_.front()];
        awake_.pop_front();
        isAwake_[core.index()] = false;
        core.Advance();
        if (core.Finished() && !ended_[core.index()]) {
            NoteEnd(core);
        }
    }
}

void Replay::Run() {
    if (cores_.empty()) {
        return;
    }
    operations_.Begin();
    StartBlocks(0);
    WakeAll();
    EventQueue::Event event = {};
    while (events_.Take(&event)) {
        if (cores_[event.core]->Serve(event.pipe, event.when, memory_)) {
            Wake(event.core);
            WakeAll();
        }
    }
    operations_.End();
    Conclude();
}

void Replay::Conclude() {
    for (const auto& core : cores_) {
        task_ = std::max(task_, core->end());
        if (!ended_[core->index()] && stuck_.empty()) {
            const Description* const at = core->Stuck();
            stuck_ = "core " + std::to_string(core->index()) + " does not end";
            stuck_ += at == nullptr ? ""
                                    : std::string(", it is at ") + Name(at->opcode) + " of " +
                                          at->where.file + ":" + std::to_string(at->where.line);
        }
    }
    task_ += StartTicks(Startup::Launch, constant::kLaunch);
}

void Replay::Request(CoreClock& core, uint32_t pipe, const Transfer& transfer, Ticks when) {
    memory_.Prepare(transfer);
    events_.Push({when, core.index(), pipe});
}

std::vector<uint32_t> Replay::Members(const CoreClock& core, int32_t mode) const {
    const Program& own = core.program();
    std::vector<uint32_t> members;
    for (const auto& other : cores_) {
        const Program& program = other->program();
        // Mode 0: all cores of this kind. Modes 1 and 2: the cores of this kind in the same block.
        if (program.kind == own.kind && (mode == 0 || program.block == own.block)) {
            members.push_back(other->index());
        }
    }
    return members;
}

bool Replay::Gather(Meeting& meeting, const std::vector<uint32_t>& members, uint32_t core,
                    Ticks* when) {
    meeting.times[core].push_back(*when);
    if (meeting.times.size() < members.size() ||
        std::any_of(members.begin(), members.end(),
                    [&meeting](uint32_t member) { return meeting.times[member].empty(); })) {
        return false;
    }
    for (const uint32_t member : members) {
        *when = std::max(*when, meeting.times[member].front());
        meeting.times[member].pop_front();
    }
    return true;
}

void Replay::CrossSet(CoreClock& core, int32_t mode, int32_t flag, Ticks when) {
    const uint32_t group =
        mode == 0 ? static_cast<uint32_t>(core.program().kind)
                  : 2 + core.program().block * 2 + static_cast<uint32_t>(core.program().kind);
    const std::vector<uint32_t> members = Members(core, mode);
    Meeting& meeting = crossMeetings_[{mode * 16 + flag, group}];
    if (!Gather(meeting, members, core.index(), &when)) {
        return;
    }
    // A hard SyncAll is a barrier of all pipes and a flag of mode 0, so both take as long.
    when += mode == 0 ? MeetingTicks(members.size()) : Cycles(constant::kCrossFlag.value);
    if (mode != 2) {
        for (const uint32_t member : members) {
            cores_[member]->Raise(flag, when);
            Wake(member);
        }
        return;
    }
    for (const uint32_t other : blocks_[core.program().block]) {
        if (cores_[other]->program().kind != core.program().kind) {
            cores_[other]->Raise(flag, when);
            Wake(other);
        }
    }
}

void Replay::Arrive(CoreClock& core, uint32_t cores, Ticks when) {
    std::vector<uint32_t> members = Members(core, 0);
    if (cores == cores_.size() && cores != members.size()) {
        members.clear();
        for (const auto& other : cores_) {
            members.push_back(other->index());
        }
    }
    if (!Gather(barriers_[{0, cores}], members, core.index(), &when)) {
        return;
    }
    when += MeetingTicks(members.size());
    for (const uint32_t member : members) {
        cores_[member]->GoOn(when);
        Wake(member);
    }
}

void Replay::Release(CoreClock& core, const CoreSync& sync, Ticks when) {
    releases_.Add(core.index(), sync, when, &granted_);
    GrantAll();
}

void Replay::Await(CoreClock& core, const CoreSync& sync, Ticks when) {
    releases_.Await(core.index(), sync, when, &granted_);
    GrantAll();
}

void Replay::GrantAll() {
    for (const Releases::Granted& granted : granted_) {
        cores_[granted.core]->Grant(granted.when);
        Wake(granted.core);
    }
    granted_.clear();
}

int64_t Releases::RoundOf(uint32_t core, const CoreSync& sync) {
    switch (sync.which) {
        case CoreSync::Round::Own:
            return int64_t{own_[{sync.object, core}]} - sync.round;
        case CoreSync::Round::Next:
            return int64_t{taken_[sync.object]++} - sync.round;
        default:
            return sync.round;
    }
}

void Releases::Add(uint32_t core, const CoreSync& sync, Ticks when, std::vector<Granted>* granted) {
    std::vector<Ticks>& times = times_[{sync.object, sync.member}];
    const uint64_t round = times.size();
    times.push_back(when);
    ++own_[{sync.object, core}];
    std::vector<Wait>& waits = waits_[sync.object];
    for (Wait& wait : waits) {
        if (wait.round == round && sync.member - wait.first < wait.count) {
            wait.latest = std::max(wait.latest, when);
            if (--wait.missing == 0) {
                granted->push_back({wait.core, wait.latest});
            }
        }
    }
    waits.erase(std::remove_if(waits.begin(), waits.end(),
                               [](const Wait& wait) { return wait.missing == 0; }),
                waits.end());
}

void Releases::Await(uint32_t core, const CoreSync& sync, Ticks when,
                     std::vector<Granted>* granted) {
    const int64_t round = RoundOf(core, sync);
    Wait wait = {core, sync.first, sync.count, static_cast<uint64_t>(round), 0, when};
    for (uint32_t i = 0; round >= 0 && i < sync.count; ++i) {
        const std::vector<Ticks>& times = times_[{sync.object, sync.first + i}];
        if (times.size() <= wait.round) {
            ++wait.missing;
        } else {
            wait.latest = std::max(wait.latest, times[wait.round]);
        }
    }
    if (wait.missing == 0) {
        granted->push_back({core, wait.latest});
    } else {
        waits_[sync.object].push_back(wait);
    }
}

}  // namespace twin::timing
