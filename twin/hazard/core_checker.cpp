// SPDX-License-Identifier: Apache-2.0
#include "hazard/core_checker.h"

#include <algorithm>
#include <cstring>

#include "core/launch_state.h"
#include "core/library_calls.h"
#include "hazard/between.h"

namespace twin::hazard {
namespace {

const char* KindOf(bool writeBefore, bool write, bool intraPipe) {
    if (writeBefore && write) {
        return intraPipe ? "WAW intra-pipe" : "WAW inter-pipe";
    }
    if (writeBefore) {
        return intraPipe ? "RAW intra-pipe" : "RAW inter-pipe";
    }
    return intraPipe ? "WAR intra-pipe" : "WAR inter-pipe";
}

const char* CodeOf(bool writeBefore, bool write) {
    return writeBefore ? (write ? "T803" : "T801") : "T802";
}

/// Where the way out is no flag.
std::string RemedyOf(const std::string& code, const Finding& finding) {
    const std::string line = std::to_string(finding.second.line);
    if (code == "T820") {
        return "a write of these bytes before line " + line + ", or fewer elements there";
    }
    if (code == "T822") {
        return "isPad and a padding value in line " + std::to_string(finding.first.line) +
               ", or only the valid elements in line " + line;
    }
    if (code == "T415") {
        return "buffers below 184 KiB, or line " + line + " before line " +
               std::to_string(finding.first.line);
    }
    if (code == "T311" || code == "T313") {
        return "DataCacheCleanAndInvalid between line " + std::to_string(finding.first.line) +
               " and line " + line;
    }
    return code == "T312" ? "DataCacheCleanAndInvalid before line " + line : "";
}

}  // namespace

CoreChecker::CoreChecker(Hazards level, uint32_t block, uint32_t subBlock, CoreKind kind,
                         uint32_t coreIdx, Between* between)
    : block(block),
      subBlock(subBlock),
      kind(kind),
      coreIdx(coreIdx),
      level_(level),
      between_(between),
      local_(kMemories) {}

void CoreChecker::OnInstruction(const Instruction& i) {
    core_ = core_ == nullptr ? SelfOrNull() : core_;
    if (referencePending_) {
        SettleReference();
    }
    instruction_ = &i;
    if (serving_ && part_ == 0 && i.opcode != Opcode::MatmulAccept) {
        EndService();
    }
    if (const auto* const flag = i.As<record::Flag>()) {
        return Flag(i, *flag);
    }
    if (i.ranges.empty() && IsSync(i)) {
        return;
    }
    if (KeepReference(i)) {
        return;
    }
    // The library's own barriers, of a call whose steps are not recorded.
    const auto* const call = i.As<record::Call>();
    const LibraryCall* const row = call == nullptr ? nullptr : &FindLibraryCall(i.opcode);
    if (row != nullptr && row->begins.Holds(i.dtype.Value(), call->shape->form)) {
        clocks_.Barrier(kV);
    }
    BeginAccess(i);
    Registers(i);
    Local(i);
    Global(i);
    Meet(i);
    if (row != nullptr && row->ends.Holds(i.dtype.Value(), call->shape->form)) {
        clocks_.Barrier(kV);
    }
}

bool CoreChecker::IsSync(const Instruction& i) {
    if (i.pipe == Pipe::All) {
        clocks_.BarrierAll();
    } else if (i.As<record::Barrier>() != nullptr) {
        clocks_.Barrier(LaneOf(i.pipe));
    } else if (const auto* const clean = i.As<record::CacheClean>()) {
        Clean(clean->line);
    } else if (i.As<record::CrossFlag>() == nullptr && i.As<record::Meeting>() == nullptr) {
        return false;
    }
    Meet(i);
    return true;
}

void CoreChecker::BeginAccess(const Instruction& i) {
    reported_.clear();
    Lane lane = LaneOf(i.pipe);
    if (lane == kS && std::none_of(i.ranges.begin(), i.ranges.end(),
                                   [](const ByteRange& range) { return range.write; })) {
        lane = kScalarRead;
    }
    now_.index = clocks_.Issue(lane);
    now_.sequence = static_cast<uint32_t>(i.sequence);
    now_.lane = lane;
    now_.kind = kPlain;
    now_.site =
        sites.Number({i.opcode, i.where, lane == kScalarRead ? kS : lane,
                      part_ != 0 || KindOf(i.call) == OpcodeKind::MatmulStep,
                      i.reads.Has(Register::UnitFlags) || i.writes.Has(Register::UnitFlags)});
    known_ = &clocks_.Known(lane);
    if (now_.site >= firstRun_.size()) {
        firstRun_.resize(now_.site + 1, UINT32_MAX);
    }
    firstRun_[now_.site] = std::min(firstRun_[now_.site], now_.sequence);
    vectorGiven_ = lane == kV && level_ == Hazards::AutoSync && i.core == CoreKind::Aiv;
    ChainSteps(i);
}

/// Steps of one call are ordered by the library. What the Matmul library computes goes one way,
/// from GM through L1 and L0 to the pipe that copies it out, over several calls.
void CoreChecker::ChainSteps(const Instruction& i) {
    if (i.call == Opcode::None && part_ == 0) {
        return;
    }
    static constexpr Lane kAll[] = {kS, kV, kM, kMte1, kMte2, kMte3, kFix, kScalarRead};
    static constexpr Lane kWay[] = {kMte2, kMte1, kM, kFix};
    const bool matmul = sites[now_.site].matmul;
    uint32_t* const steps = matmul ? matmulSteps_ : steps_;
    if (!matmul && i.callBegin != callBegin_) {
        callBegin_ = i.callBegin;
        std::fill(std::begin(steps_), std::end(steps_), 0U);
    }
    const Lane* const lanes = matmul ? kWay : kAll;
    const size_t count = matmul ? std::size(kWay) : std::size(kAll);
    for (size_t k = 0; k < count && !(matmul && lanes[k] == now_.lane); ++k) {
        const Lane from = lanes[k];
        if (steps[from] != 0 && from != now_.lane) {
            clocks_.Learn(now_.lane == kScalarRead ? kS : now_.lane, from, steps[from]);
        }
    }
    steps[now_.lane] = now_.index;
}

/// What instructions leave to the scalar unit in registers.
void CoreChecker::Registers(const Instruction& i) {
    static constexpr Register kResults[] = {Register::GatherKept, Register::Sum, Register::Best,
                                            Register::Merged};
    for (const Register which : kResults) {
        Access& writer = registers_[static_cast<size_t>(which)];
        if (i.reads.Has(which) && i.pipe == Pipe::S && writer.Exists()) {
            ByteRange range;
            range.begin = static_cast<uint64_t>(which);
            range.memory = Memory::Ub;
            Against(writer, true, range, 0, 0, false);
        }
        if (i.writes.Has(which)) {
            writer = now_;
        }
    }
}

void CoreChecker::Against(const Access& before, bool writeBefore, const ByteRange& range,
                          uint64_t begin, uint64_t end, bool write) {
    if (Ordered(before) || Given(before, range)) {
        return;
    }
    // In place it reads and writes what the other one wrote: one finding says it.
    const uint64_t pair = uint64_t{before.lane} << 32 | before.index;
    if (std::find(reported_.begin(), reported_.end(), pair) != reported_.end()) {
        return;
    }
    reported_.push_back(pair);
    const bool intra = sites[before.site].lane == sites[now_.site].lane;
    Report(CodeOf(writeBefore, write), KindOf(writeBefore, write, intra), &before, writeBefore,
           range, begin, end, write);
    if (acquired_ && findings.Latest() != SIZE_MAX) {
        Doubted(before);
    }
}

Party CoreChecker::PartyOf(const Location& where, const char* opcode, Pipe pipe) const {
    Party party;
    party.exists = true;
    party.coreIdx = coreIdx;
    party.kind = kind;
    party.core =
        std::to_string(block) + " " + Name(kind) + (subBlock == 0 ? "" : std::to_string(subBlock));
    party.pipe = pipe;
    party.opcode = opcode;
    party.file = where.file;
    party.function = where.function;
    party.line = where.line;
    return party;
}

Party CoreChecker::PartyOf(const Site& site, bool write) const {
    Party party = PartyOf(site.where, Name(site.opcode), PipeOf(site.lane));
    party.write = write;
    return party;
}

void CoreChecker::Describe(const ByteRange& range, uint64_t begin, Finding* finding) const {
    finding->begin = begin;
    if (range.runs.bytes == 0) {
        finding->memory = finding->place = Name(static_cast<Register>(range.begin));
        return;
    }
    finding->memory = Name(range.memory);
    if (range.memory == Memory::Gm) {
        for (const GmRange& gm : core_->launch->gm) {
            if (gm.ContainsDevice(begin)) {
                finding->place = gm.label;
                finding->begin = begin - gm.device;
            }
        }
        return;
    }
    const BufferRecord* buffer = core_->FindBuffer(range.memory, begin);
    if (buffer != nullptr) {
        finding->place = std::string(buffer->kind) + " #" + std::to_string(buffer->queue) + "[" +
                         std::to_string(buffer->slot) + "]";
    }
}

void CoreChecker::Report(const char* code, const char* kind, const Access* before, bool writeBefore,
                         const ByteRange& range, uint64_t begin, uint64_t end, bool write) {
    const Site& now = sites[now_.site];
    static const Location kNowhere;
    const Location& first = before == nullptr ? kNowhere : sites[before->site].where;
    if (!findings.Note(code, first.file, first.line, now.where.file, now.where.line,
                       now_.sequence)) {
        return;
    }
    Finding finding;
    finding.code = code;
    finding.kind = kind;
    finding.bytes = end - begin;
    finding.sequence = now_.sequence;
    Describe(range, begin, &finding);
    finding.second = PartyOf(now_, write);
    if (before != nullptr) {
        finding.first = PartyOf(*before, writeBefore);
        finding.missing =
            MissingEdge(finding.first, finding.second, firstRun_[now_.site] < before->sequence);
    }
    const std::string remedy = RemedyOf(code, finding);
    if (!remedy.empty()) {
        finding.missing = remedy;
    }
    findings.Add(std::move(finding));
}

/// operator() of a local tensor hands a reference out: what is done with it shows afterwards.
bool CoreChecker::KeepReference(const Instruction& i) {
    if (i.pipe != Pipe::S || i.ranges.size() != 1 || i.ranges[0].memory == Memory::Gm ||
        i.ranges[0].runs.bytes > sizeof(referenceBytes_) || i.opcode != Opcode::ElementReference) {
        return false;
    }
    reference_ = i;
    std::memcpy(referenceBytes_, BytesAt(i.ranges[0], i.ranges[0].begin), i.ranges[0].runs.bytes);
    referencePending_ = true;
    return true;
}

void CoreChecker::SettleReference() {
    ByteRange& range = reference_.ranges[0];
    referencePending_ = false;
    range.write = std::memcmp(referenceBytes_, BytesAt(range, range.begin), range.runs.bytes) != 0;
    instruction_ = &reference_;
    BeginAccess(reference_);
    Local(reference_);
}

const uint8_t* CoreChecker::BytesAt(const ByteRange& range, uint64_t begin) const {
    return core_->memory[static_cast<size_t>(range.memory)] + begin;
}

void CoreChecker::OnReturn() {
    if (core_ == nullptr) {
        return;
    }
    if (referencePending_) {
        SettleReference();
    }
    EndService();
    EndFlags();
    EndCache();
    returned = true;
    // Launches may have far more blocks than run at a time.
    local_.clear();
    cube_.Clear();
    global_ = History<Cell>();
    lines_.clear();
}

void CoreChecker::OnSuccess() { between_->Ended(this); }

void CoreChecker::OnBuffer(const BufferEvent& event) {
    const auto key =
        static_cast<uint32_t>(event.buffer.queue) << 16 | static_cast<uint16_t>(event.buffer.slot);
    freed_.erase(key);
}

}  // namespace twin::hazard
