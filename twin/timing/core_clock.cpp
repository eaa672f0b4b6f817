// SPDX-License-Identifier: Apache-2.0
#include "timing/core_clock.h"

#include <algorithm>

#include "timing/costs.h"

namespace twin::timing {
namespace {

const Ticks kFlagTicks = Of(constant::kFlag);
const Ticks kBarrierTicks = Of(constant::kBarrier);
uint64_t Count(const Constant& constant) { return static_cast<uint64_t>(constant.value); }

/// Returns true for instructions that do something, and false for those that wait.
bool Works(Act act) {
    return act == Act::Work || act == Act::Gm || act == Act::Scalar || act == Act::ScalarGm;
}

}  // namespace

CoreClock::CoreClock(const Program& program, uint32_t index, Chip& chip, const StartupCosts& costs,
                     Operations& operations)
    : program_(program),
      table_(program.table),
      index_(index),
      chip_(chip),
      costs_(costs),
      log_(operations, program.kind, index) {}

void CoreClock::Begin(Ticks when, uint64_t most, const StartupTimes& before, bool first) {
    start_ = when;
    startup_ = before;
    const Ticks prepares = before[static_cast<uint32_t>(Startup::Core)];
    when += prepares;
    scalar_ = when;
    pipes_[kS].busy = prepares;
    executed_.resize(table_.places());
    first_ = first;
    codeWait_ = first ? costs_.codeWait(program_.kind) : 0;
    for (PipeState& pipe : pipes_) {
        pipe.queue.resize(Count(constant::kQueue));
        pipe.free = pipe.done = when;
    }
    flags_.resize(size_t{kHardEvents} * kEventIds);
    cacheLines_.resize(Count(program_.kind == CoreKind::Aic ? constant::kCacheLinesAic
                                                            : constant::kCacheLinesAiv));
    log_.Begin(when, std::min(most, program_.instructions));
}

void CoreClock::Finish() {
    flags_ = {};
    cacheLines_ = {};
    for (PipeState& pipe : pipes_) {
        pipe.queue = {};
        pipe.window = {};
    }
}

void CoreClock::Advance() {
    bool moved = true;
    while (moved) {
        moved = false;
        while (StepScalar()) {
            moved = true;
        }
        for (uint32_t pipe = kV; pipe < kPipes; ++pipe) {
            while (StepPipe(pipe)) {
                moved = true;
            }
        }
    }
}

bool CoreClock::Idle() const {
    return std::all_of(pipes_, pipes_ + kPipes,
                       [](const PipeState& p) { return p.Empty() && !p.copying; });
}

Ticks CoreClock::AllDone() const {
    Ticks last = scalar_;
    for (const PipeState& pipe : pipes_) {
        last = std::max(last, pipe.done);
    }
    return last;
}

Ticks CoreClock::end() const { return AllDone(); }

bool CoreClock::Finished() const {
    return at_ == program_.code.size() && !reading_ && !meeting_ && !holding_ && Idle();
}

const Description* CoreClock::Stuck() const {
    for (const PipeState& pipe : pipes_) {
        if (!pipe.Empty()) {
            return &DescriptionOf(*pipe.queue[pipe.front].entry.operation);
        }
    }
    const bool waits = at_ < program_.code.size() && !AtScalarWork();
    return waits ? &DescriptionOf(Current()) : nullptr;
}

RowLog::Open& CoreClock::NewRow(const Operation& operation, Ticks start) {
    RowLog::Open& open = log_.New(NumberOf(operation), operation.pipe, start);
    if (waitedForCode_ && Works(operation.act)) {
        open.row.why = kCode;
    }
    waitedForCode_ = false;
    return open;
}

/// Moves the scalar unit to the instruction after `operation`.
void CoreClock::Advanced(const Operation& operation) { at_ += 1 + 2 * size_t{operation.accesses}; }

bool CoreClock::StepScalar() {
    if (at_ == program_.code.size() || meeting_ || reading_ || holding_) {
        return false;
    }
    if (AtScalarWork()) {
        WorkAlone();
        return true;
    }
    const Operation& operation = Current();
    if (!executed_[operation.place]) {
        FirstUse(operation);
    }
    worked_ = 0;
    if (operation.sync == CoreSync::What::Acquire && !Acquire(operation)) {
        return false;
    }
    switch (operation.act) {
        case Act::BarrierAll:
        case Act::SyncAll:
            return Meet(operation);
        case Act::CrossWait:
            return WaitScalar(operation);
        case Act::ScalarGm:
            return ReadGm(operation);
        default:
            break;
    }
    if (operation.queue != kS) {
        return Enqueue(operation);
    }
    if (operation.act == Act::WaitFlag) {
        return WaitScalar(operation);
    }
    RowLog::Open& open = NewRow(operation, scalar_);
    const Ticks took = costs_.Of(operation.startup, operation.issue + operation.work);
    open.row.busy = open.row.ticks = took;
    EndWait(operation, open.row, scalar_ + took);
    log_.End(open);
    scalar_ += took;
    pipes_[kS].busy += took;
    CountStartup(operation.startup, took);
    if (operation.act == Act::SetFlag) {
        FlagOf(operation).push_back(scalar_ + kFlagTicks);
    } else if (operation.act == Act::Preload && codeWait_ != 0) {
        codeCache_.Preload(operation.count, scalar_, codeWait_, costs_.codeTurn(program_.kind));
    }
    Advanced(operation);
    return true;
}

/// Executes the scalar unit's work of the kernel's own code before the next instruction.
void CoreClock::WorkAlone() {
    Ticks ticks = 0;
    for (; at_ < program_.code.size() && AtScalarWork(); ++at_) {
        ticks += program_.code[at_] & ~Program::kScalarWork;
    }
    scalar_ += ticks;
    worked_ = ticks;
    pipes_[kS].busy += ticks;
    log_.AddScalar(at_ < program_.code.size() ? program_.code[at_] : program_.last, ticks);
}

bool CoreClock::Enqueue(const Operation& operation) {
    PipeState& pipe = pipes_[operation.queue];
    if (pipe.issued - pipe.started == pipe.queue.size()) {
        return false;
    }
    Slot& slot = pipe.queue[pipe.next];
    scalar_ = std::max(scalar_, slot.free) + operation.issue;
    pipes_[kS].busy += operation.issue;
    slot.entry = {&operation, &program_.code[at_] + 1, scalar_, &NewRow(operation, scalar_),
                  pipes_[kM].issued};
    pipe.next = pipe.After(pipe.next);
    ++pipe.issued;
    holding_ = operation.held;
    Advanced(operation);
    return true;
}

/// Lets the scalar unit wait for a flag of a pipe or core; returns false if the flag is not set.
bool CoreClock::WaitScalar(const Operation& operation) {
    const bool cross = operation.act == Act::CrossWait;
    Fifo<Ticks>& flag = cross ? crossFlags_[operation.id] : FlagOf(operation);
    if (flag.empty()) {
        return false;
    }
    const Ticks begin = scalar_;
    scalar_ = std::max(scalar_, flag.front()) + operation.issue;
    flag.pop_front();
    pipes_[kS].busy += operation.issue;
    RowLog::Open& open = NewRow(operation, begin);
    open.row.ticks = scalar_ - begin;
    open.row.why = cross ? kCore : static_cast<Why>(kFlagBase + operation.event);
    log_.End(open);
    Advanced(operation);
    return true;
}

bool CoreClock::Meet(const Operation& operation) {
    if (!Idle()) {
        return false;
    }
    const Ticks begin = scalar_;
    scalar_ = AllDone() + Of(constant::kBarrierAll);
    RowLog::Open& open = NewRow(operation, begin);
    open.row.ticks = scalar_ - begin;
    open.row.why = kBarrierOf;
    pipes_[kS].busy += operation.issue;
    Advanced(operation);
    if (operation.act == Act::SyncAll) {
        meeting_ = true;
        scalarRow_ = &open;
        chip_.Arrive(*this, operation.count, scalar_);
    } else {
        log_.End(open);
    }
    return true;
}

void CoreClock::GoOn(Ticks when) {
    Row& row = scalarRow_->row;
    row.ticks = when - row.start;
    row.why = kCore;
    log_.End(*scalarRow_);
    scalar_ = when;
    meeting_ = false;
}

void CoreClock::Pop(PipeState& state, Ticks when) {
    state.queue[state.front].free = when;
    state.front = state.After(state.front);
    ++state.started;
}

/// Lets the pipe wait until the time of the flag; returns false if the flag is not set yet.
bool CoreClock::TakeFlag(PipeState& pipe, const Entry& entry) {
    Fifo<Ticks>& flag = FlagOf(*entry.operation);
    if (flag.empty()) {
        return false;
    }
    const Ticks begin = std::max(pipe.free, entry.issued);
    pipe.free = std::max(begin, flag.front());
    flag.pop_front();
    Row& row = entry.row->row;
    row.start = begin;
    row.ticks = pipe.free - begin;
    row.why = static_cast<Why>(kFlagBase + entry.operation->event);
    if (row.ticks != 0) {
        pipe.why = row.why;
    }
    return true;
}

bool CoreClock::StepPipe(uint32_t index) {
    PipeState& pipe = pipes_[index];
    if (pipe.Empty() || pipe.copying) {
        return false;
    }
    const Entry& entry = pipe.queue[pipe.front].entry;
    const Operation& operation = *entry.operation;
    Row& row = entry.row->row;
    switch (operation.act) {
        case Act::WaitFlag:
            if (!TakeFlag(pipe, entry)) {
                return false;
            }
            break;
        case Act::SetFlag:
        case Act::CrossSet: {
            // `pipe.free` is at or after the time of every flag for which this pipe has waited.
            row.start = std::max({entry.issued, pipe.free, pipe.done});
            if (operation.act == Act::SetFlag) {
                FlagOf(operation).push_back(row.start + kFlagTicks);
            } else {
                chip_.CrossSet(*this, operation.mode, operation.id, row.start);
            }
            break;
        }
        case Act::Tell:
            row.start = std::max({entry.issued, pipe.free, pipe.done});
            pipe.free = row.start + Of(constant::kCopyHead);
            row.ticks = Of(constant::kCopyHead) + Of(constant::kStoreLatency);
            chip_.Release(*this, SyncOf(operation), row.start + row.ticks);
            break;
        case Act::Barrier:
            row.start = std::max(entry.issued, pipe.free);
            pipe.free = std::max(row.start, pipe.done + kBarrierTicks);
            row.ticks = pipe.free - row.start;
            pipe.why = kBarrierOf;
            break;
        default:
            return Start(index, pipe, entry);
    }
    log_.End(*entry.row);
    Pop(pipe, std::max(entry.issued, pipe.free));
    return true;
}

bool CoreClock::Start(uint32_t index, PipeState& pipe, const Entry& entry) {
    const Operation& operation = *entry.operation;
    Ticks start = std::max(entry.issued, pipe.free);
    Row& row = entry.row->row;
    Why why = entry.issued <= pipe.free ? pipe.why : row.why == kCode ? kCode : kIssue;
    if (operation.unitFlag && index == kFix) {
        // With unit flags, the copy begins when the earlier Mmad instructions are done.
        if (pipes_[kM].started < entry.products) {
            return false;
        }
        why = pipes_[kM].done > start ? kPipe : why;
        start = std::max(start, pipes_[kM].done);
    }
    row.why = why;
    pipe.why = kPipe;
    if (operation.act == Act::Gm) {
        StartCopy(index, pipe, entry, start);
        return true;
    }
    pipe.free = start + operation.head + operation.work;
    const Ticks end = pipe.free + operation.tail;
    row.start = start;
    row.ticks = end - start;
    row.busy = end - std::min(end, std::max(start, pipe.done));
    pipe.busy += row.busy;
    pipe.done = std::max(pipe.done, end);
    conflicts_ += operation.conflicts;
    log_.End(*entry.row);
    Pop(pipe, start);
    return true;
}

}  // namespace twin::timing
