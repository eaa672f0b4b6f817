// SPDX-License-Identifier: Apache-2.0
#include "hazard/core_checker.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "core/core_state.h"
#include "core/launch_state.h"
#include "hazard/inter_core_checker.h"

namespace twin::hazard {
namespace {

/// Returns Access::kind for a copy to GM. Atomic copies of equal kind may run in any order.
uint8_t AtomicKind(const Core& core, AtomicOp atomic) {
    if (atomic == AtomicOp::None) {
        return kPlain;
    }
    return static_cast<uint8_t>(1 + static_cast<uint32_t>(core.atomicOp) * kDtypeCount +
                                static_cast<uint32_t>(core.atomicDtype));
}

const uint8_t* BytesOf(const ByteRange& range, const Core& core) {
    return core.memory[static_cast<size_t>(range.memory)] + range.begin;
}

/// Returns true if the instruction signals other cores by an MTE3 copy of a Matmul message or a
/// counter of GroupBarrier. The copy waits for earlier scalar writes and MTE3 copies only.
bool ReleasesByCopy(const Instruction& i) {
    return i.opcode == Opcode::MatmulRequest ||
           (i.pipe == Pipe::Mte3 && (i.opcode == Opcode::Arrive || i.opcode == Opcode::Wait));
}

CoreSync PairSync(const CoreSync& from, CoreSync::What what, uint32_t member) {
    CoreSync sync;
    sync.what = what;
    sync.member = sync.first = member;
    sync.count = 1;
    sync.round = from.pairRound;
    sync.object = from.pair;
    return sync;
}

}  // namespace

bool ElementReference::Keep(const Instruction& i, const Core& core) {
    if (i.pipe != Pipe::S || i.ranges.size() != 1 || i.ranges[0].memory == Memory::Gm ||
        i.ranges[0].runs.bytes > sizeof(bytes_) || i.opcode != Opcode::ElementReference) {
        return false;
    }
    instruction_ = i;
    std::memcpy(bytes_, BytesOf(i.ranges[0], core), i.ranges[0].runs.bytes);
    pending_ = true;
    return true;
}

const Instruction& ElementReference::Settle(const Core& core) {
    ByteRange& range = instruction_.ranges[0];
    pending_ = false;
    range.write = std::memcmp(bytes_, BytesOf(range, core), range.runs.bytes) != 0;
    return instruction_;
}

/// Logs new tentative findings. Such a finding is dropped if other cores order its two accesses.
inline void CoreChecker::NoteTentative() {
    if (findings_.HasTentative()) {
        logs_.Note(findings_.TakeTentative());
    }
}

void CoreChecker::OnInstruction(const Instruction& i) {
    if (core_ == nullptr) {
        core_ = SelfOrNull();
        findings_.Start(core_);
    }
    if (reference_.Pending()) {
        CheckReference();
    }
    logs_.At(i.sequence);
    if (service_.Idle() && i.opcode != Opcode::MatmulAccept) {
        service_.End(i.block, &logs_);
    }
    Check(i);
    if (logs_.WantHandOver()) {
        HandOver();
    }
}

void CoreChecker::Check(const Instruction& i) {
    if (const auto* const flag = i.As<record::Flag>()) {
        flags_.Check(i, *flag, &findings_);
        order_.Flag(*flag);
        local_.OnQueueFlag(*flag, i.where);
        return;
    }
    if ((i.ranges.empty() && Synchronises(i)) || reference_.Keep(i, *core_)) {
        return;
    }
    order_.BeginCall(i);
    const Access access = Issue(i);
    local_.CheckRegisters(i, access, order_, &findings_);
    CheckLocal(i, access);
    const bool polls = CheckGlobal(i, access);
    workspaceReads_.After(i, access, polls, {*core_, local_, taint_, cube_, findings_});
    Meet(i);
    order_.EndCall(i);
}

bool CoreChecker::Synchronises(const Instruction& i) {
    if (!order_.Barrier(i)) {
        if (const auto* const clean = i.As<record::CacheClean>()) {
            global_.Clean(clean->line, order_, &findings_, &logs_);
        } else if (i.As<record::CrossFlag>() == nullptr && i.As<record::Meeting>() == nullptr) {
            return false;
        }
    }
    Meet(i);
    return true;
}

Access CoreChecker::Issue(const Instruction& i) {
    const Lane lane = CoreOrder::LaneOf(i);
    const Site site{i.opcode,
                    i.where,
                    lane == kScalarRead ? kS : lane,
                    logs_.Client() != 0 || KindOf(i.call) == OpcodeKind::MatmulStep,
                    i.reads.Has(Register::UnitFlags) || i.writes.Has(Register::UnitFlags),
                    static_cast<uint32_t>(i.sequence)};
    const Access access = order_.Issue(i, lane, site, findings_.NumberOf(site));
    findings_.BeginInstruction(access);
    return access;
}

void CoreChecker::CheckReference() {
    const Instruction& i = reference_.Settle(*core_);
    CheckLocal(i, Issue(i));
    NoteTentative();
}

void CoreChecker::CheckLocal(const Instruction& i, const Access& access) {
    if (i.As<record::Meeting>() != nullptr) {
        for (const ByteRange& range : i.ranges) {
            if (range.write && range.memory != Memory::Gm) {
                local_.WriteByLibrary({i, range, access});
            }
        }
        cube_.Write(i, *core_);
        return;
    }
    taint_.BeginInstruction();
    taint_.CheckBest(i, access, &findings_);
    bool inPlace = false;
    for (const ByteRange& range : i.ranges) {
        if (range.memory != Memory::Gm && !range.write) {
            const CurrentAccess now{i, range, order_.AccessTo(range, access)};
            const bool late = OverlapsResult(i, range);
            inPlace = inPlace || late;
            local_.CheckFreed(now, *core_, &findings_);
            const bool note = access.lane != kScalarRead && !late;
            const std::vector<TaintedRun>& tainted = local_.Read(now, note, order_, &findings_);
            if (!tainted.empty()) {
                taint_.Judge(tainted, now, *core_, &findings_);
            }
        }
    }
    for (const ByteRange& range : i.ranges) {
        if (range.memory != Memory::Gm && range.write) {
            const CurrentAccess now{i, range, order_.AccessTo(range, access)};
            local_.CheckFreed(now, *core_, &findings_);
            const uint16_t taint = range.filler ? taint_.NumberOfFiller(now) : uint16_t{0};
            if (range.filler) {
                findings_.Why().NoteFiller(i, access, *core_);
            }
            local_.Write(now, taint, order_, &findings_);
        }
    }
    for (const ByteRange& range : i.ranges) {
        if (inPlace && range.memory != Memory::Gm && !range.write && OverlapsResult(i, range)) {
            local_.NoteRead({i, range, order_.AccessTo(range, access)});
        }
    }
    taint_.Spread(i, *core_, &local_);
    findings_.Why().Note(i, *core_);
    if (i.core == CoreKind::Aic) {
        cube_.Check(i, access, *core_, &findings_);
    }
}

bool CoreChecker::CheckGlobal(const Instruction& i, Access access) {
    bool polls = false;
    if (i.As<record::Meeting>() != nullptr) {
        return polls;
    }
    for (const ByteRange& range : i.ranges) {
        if (range.memory != Memory::Gm) {
            continue;
        }
        if (logs_.Client() != 0) {
            service_.Work(i, range);
        }
        const bool line = i.writes.Has(Register::DataCache);
        access.kind = !line && range.write ? AtomicKind(*core_, i.atomic) : access.kind;
        const CurrentAccess now{i, range, access};
        if (line) {
            polls = global_.AccessLine(now, order_, &findings_, &logs_);
            continue;
        }
        if (range.write) {
            global_.Write(now, order_, &findings_);
        } else {
            global_.Read(now, order_, &findings_);
        }
        NoteTentative();
        if (range.write && i.opcode == Opcode::WriteGmByPassDCache) {
            GlobalMemory::PublishWord(now, order_, &logs_);
        } else if (!range.write && i.opcode == Opcode::ReadGmByPassDCache) {
            GlobalMemory::PollWord(now, Cached::No, &findings_, &logs_);
            polls = true;
        } else if (range.write || !FetchesProduct(now)) {
            logs_.Add({range.begin, range.runs, access, range.write, Cached::No}, order_.Changes());
        }
    }
    return polls;
}

/// Returns true if the access loads a Matmul result from the system workspace. Such loads are not
/// logged, because the Matmul library decides when it reuses that memory.
bool CoreChecker::FetchesProduct(const CurrentAccess& now) const {
    if (!service_.Asks() || now.access.lane != kMte2) {
        return false;
    }
    const auto& all = core_->launch->gm;
    return std::any_of(all.begin(), all.end(), [&now](const GmRange& gm) {
        return gm.ContainsDevice(now.range.begin) && gm.label == "system workspace";
    });
}

/// Logs that the instruction signals other cores (release), waits for them (acquire), or both.
void CoreChecker::Meet(const Instruction& i) {
    NoteTentative();
    if (const auto* const flag = i.As<record::CrossFlag>()) {
        MeetByFlag(i, *flag);
        return;
    }
    const auto* const meeting = i.As<record::Meeting>();
    if (meeting == nullptr || meeting->sync.what == CoreSync::What::Inside) {
        return;
    }
    CoreSync sync = meeting->sync;
    if (sync.what == CoreSync::What::Acquire) {
        findings_.Acquire();
    }
    if (sync.what == CoreSync::What::Meet) {
        sync.what = CoreSync::What::Release;
        logs_.Meet(sync, order_.AfterAll());
        sync.what = CoreSync::What::Acquire;
    }
    if (i.opcode == Opcode::MatmulAccept) {
        service_.Accept(i, sync, &logs_);
    } else if (i.opcode == Opcode::MatmulRequest) {
        service_.Ask(i.sequence);
        findings_.NumberOf(
            {i.opcode, i.where, kS, false, false, static_cast<uint32_t>(i.sequence)});
    }
    Clock clock = order_.AfterAll();
    if (ReleasesByCopy(i)) {
        const uint32_t written = clock.ended[kS];
        clock = order_.After(kMte3);
        clock.ended[kS] = written;
    }
    if (sync.pair != 0) {
        MeetPair(i.opcode, sync, clock);
    }
    logs_.Meet(sync, clock);
    if (i.opcode == Opcode::MatmulServe) {
        service_.Answer(i, &logs_);
    }
}

void CoreChecker::MeetByFlag(const Instruction& i, const record::CrossFlag& flag) {
    findings_.Acquire();
    Meeting meeting;
    meeting.flag = flag.id;
    meeting.mode = flag.mode;
    if (meeting.mode >= 0) {
        meeting.clock = order_.After(hazard::LaneOf(i.pipe));
        flags_.NoteCrossSet(i, flag, meeting.clock);
    } else if (const auto own = flags_.NoteCrossWait(flag)) {
        order_.Resume(*own);
    }
    logs_.Meet(meeting);
}

/// Logs the order of a pair of Matmul requests: two vector cores request the same result. The cube
/// core waits for both requests, computes the result once, and sends the result to both cores.
void CoreChecker::MeetPair(Opcode opcode, const CoreSync& sync, const Clock& clock) {
    const bool follows = sync.follows;
    if (opcode == Opcode::MatmulRequest && follows) {
        logs_.Meet(PairSync(sync, CoreSync::What::Release, 0), clock);
    } else if (opcode == Opcode::MatmulAccept) {
        logs_.Meet(PairSync(sync, CoreSync::What::Acquire, follows ? 1 : 0), Clock(), !follows);
    } else if (opcode == Opcode::MatmulServe && !follows) {
        logs_.Meet(PairSync(sync, CoreSync::What::Release, 1), clock);
    }
}

/// Passes this core's new log entries to the replay, which compares the accesses of all cores. The
/// replay may need these entries before it can continue with the logs of other cores.
void CoreChecker::HandOver() {
    const bool turn = logs_.TakeTurn();
    const bool replays = turn ? interCore_->Count(Index(), logs_.Length()) : interCore_->Replays();
    const uint32_t met = logs_.TakeMet();
    if (!replays) {
        return;
    }
    interCore_->AddSites(Index(), findings_.AllSites());
    for (uint32_t client = 0; client < logs_.Count(); ++client) {
        if (turn || (met >> client & 1U) != 0) {
            logs_.SetBehind(client, interCore_->Put(Index(), client, logs_.TakeSettled(client)));
        }
    }
    if (turn) {
        interCore_->Advance(Index());
    }
}

void CoreChecker::OnReturn(const Core&) {
    if (core_ == nullptr) {
        return;
    }
    if (reference_.Pending()) {
        CheckReference();
    }
    service_.End(findings_.Id().block, &logs_);
    flags_.End(&findings_);
    global_.End(order_, &findings_, &logs_);
    // A launch may have far more blocks than run at a time, so each ended core frees its histories.
    local_.Clear();
    cube_.Clear();
    findings_.Calls().End();
}

void CoreChecker::OnSuccess() {
    interCore_->AddSites(Index(), findings_.AllSites());
    interCore_->Ended(Index(), logs_.Length(), logs_.TakeAll());
}

/// Adds a finding for an error (T317) that does not end the core.
void CoreChecker::OnMistake(const char* code, const char* text) {
    const Instruction& record = core_->state->record;
    AddError(code, "too many sets", "flag", text,
             PartyOf(findings_.Id(), core_->where, record.opcode, record.pipe, Action::Sets));
}

/// Adds a finding if the error is T415 (scratch over live data).
void CoreChecker::OnFailure(const char* code, const char* text) {
    if (core_ != nullptr && std::strcmp(code, "T415") == 0) {
        AddError(
            "T415", "scratch over live data", "UB", text,
            PartyOf(findings_.Id(), core_->where, core_->where.function, Pipe::S, Action::Reads));
    }
}

/// Adds a finding for an error whose text has the form "RULE: what is wrong\n  try: what to do".
void CoreChecker::AddError(const char* code, const char* kind, const char* memory, const char* text,
                           Party party) {
    if (!findings_.Note(code, core_->where, core_->sequence)) {
        return;
    }
    const std::string sentence = text;
    const std::string fact = sentence.substr(0, sentence.find('\n'));
    const size_t rule = fact.find(": ");
    const size_t remedy = sentence.find("try: ");
    Finding finding;
    finding.code = code;
    finding.kind = kind;
    finding.memory = memory;
    finding.place = rule == std::string::npos ? fact : fact.substr(rule + 2);
    finding.missing = remedy == std::string::npos ? "" : sentence.substr(remedy + 5);
    finding.sequence = core_->sequence;
    finding.second = std::move(party);
    finding.second.callers = findings_.Calls().CallersNow();
    findings_.Add(std::move(finding));
}

}  // namespace twin::hazard
