// SPDX-License-Identifier: Apache-2.0
// GM accesses in the model of a core: copies, scalar reads, and waits for other cores.
#include <algorithm>

#include "timing/core_clock.h"
#include "timing/costs.h"

namespace twin::timing {
namespace {

const Ticks kRowTicks = Of(constant::kRowMinimum);
const auto kWindowBytes = static_cast<uint64_t>(constant::kWindow.value);
const uint64_t kStoreWindowBytes = Whole(constant::kStoreWindow);
constexpr uint64_t kScalarLine = 64;

}  // namespace

/// Returns true if the message for which `operation` waits has arrived. A wait by MTE2 begins only
/// after earlier stores are finished.
bool CoreClock::Acquire(const Operation& operation) {
    const PipeState& stores = pipes_[kMte3];
    if (waiting_ == Waiting::No) {
        if (operation.queue == kMte2 && (!stores.Empty() || stores.copying)) {
            return false;
        }
        scalar_ = operation.queue == kMte2 ? std::max(scalar_, stores.done) : scalar_;
        asked_ = scalar_;
        waiting_ = Waiting::Asked;
        chip_.Await(*this, SyncOf(operation), scalar_);
    }
    return waiting_ == Waiting::Granted;
}

void CoreClock::Grant(Ticks when) {
    const Operation& operation = Current();
    const Ticks late = when > asked_ ? when - asked_ : 0;
    polls_ = (late + operation.period - 1) / operation.period;
    scalar_ = asked_ + polls_ * operation.period;
    waiting_ = Waiting::Granted;
    for (uint32_t i = 0; i < operation.accesses; ++i) {
        chip_.Polled(polls_ * table_.accesses[operation.access + i].runs.TotalBytes());
    }
}

/// Ends a library call's wait for other cores. `row` gets the time from the wait's begin to `end`.
void CoreClock::EndWait(const Operation& operation, Row& row, Ticks end) {
    if (operation.sync == CoreSync::What::Acquire) {
        row.start = asked_;
        row.ticks = end - asked_;
        row.why = polls_ != 0 ? kCore : row.why;
        waiting_ = Waiting::No;
    }
}

void CoreClock::FirstUse(const Operation& operation) {
    executed_[operation.place] = true;
    const uint64_t own =
        std::min(worked_ / kCycle * Whole(constant::kCodeCycle), Whole(constant::kCodeMost));
    const Ticks loaded =
        codeWait_ == 0 ? scalar_ : codeCache_.Execute(operation.code + own, scalar_, codeWait_);
    if (loaded != scalar_) {
        CountStartup(Startup::Code, loaded - scalar_);
        log_.WaitForCode(NumberOf(operation), loaded - scalar_);
        waitedForCode_ = true;
        scalar_ = loaded;
    }
}

Ticks CoreClock::Translate(const Operation& operation, const uint32_t* code) {
    Ticks ticks = 0;
    for (uint32_t i = 0; i < operation.accesses && costs_.page() != 0; ++i) {
        const uint64_t address = code[2 * i] | uint64_t{code[2 * i + 1]} << 32;
        const bool store = table_.accesses[operation.access + i].write;
        bool& accessed = accessed_[store];
        if (operation.queue != kS && first_ && !accessed) {
            accessed = true;
            ticks += costs_.firstAccess(program_.kind, store);
        }
        ticks += pages_.IsNew(address) ? costs_.page() : 0;
    }
    CountStartup(Startup::Pages, ticks);
    return ticks;
}

bool CoreClock::ReadGm(const Operation& operation) {
    const uint32_t* const code = &program_.code[at_] + 1;
    const uint64_t line = (code[0] | uint64_t{code[1]} << 32) / kScalarLine;
    uint64_t& cached = cacheLines_[line % cacheLines_.size()];
    const bool write = table_.accesses[operation.access].write;
    RowLog::Open& open = NewRow(operation, scalar_);
    if (!costs_.Has(operation.startup)) {
        log_.End(open);
        Advanced(operation);
        return true;
    }
    const Ticks took = operation.issue + operation.work;
    open.row.ticks = open.row.busy = took;
    scalar_ += took + Translate(operation, code);
    pipes_[kS].busy += took;
    CountStartup(operation.startup, took);
    Advanced(operation);
    const bool fresh = operation.sync == CoreSync::What::Acquire;  // polls bypass the data cache
    if (!write && (cached != line || fresh)) {
        open.row.why = kMemory;
        reading_ = true;
        scalarRow_ = &open;
        pipes_[kS].transfer = Transfer(table_, operation, code);
        chip_.Request(*this, kS, pipes_[kS].transfer, scalar_);
    } else {
        log_.End(open);
    }
    cached = line;
    return true;
}

void CoreClock::StartCopy(uint32_t index, PipeState& pipe, const Entry& entry, Ticks start) {
    const Operation& operation = *entry.operation;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < operation.accesses; ++i) {
        bytes += table_.accesses[operation.access + i].runs.TotalBytes();
    }
    pipe.copying = true;
    pipe.transfer = Transfer(table_, operation, entry.code);
    pipe.began = start;
    pipe.ready = start + operation.head + Translate(operation, entry.code);
    pipe.portPerByte = bytes == 0 ? 0 : (operation.port << 16) / bytes;
    pipe.row = entry.row;
    Pop(pipe, start);
    if (pipe.transfer.Done()) {
        EndCopy(pipe, pipe.ready);
    } else {
        chip_.Request(*this, index, pipe.transfer, NextRequest(pipe, index, pipe.ready));
    }
}

/// Returns the first time from `when` on at which the limit of bytes in flight allows a request.
Ticks CoreClock::NextRequest(PipeState& pipe, uint32_t index, Ticks when) {
    const uint64_t most = index == kMte2   ? kWindowBytes
                          : index == kMte3 ? kStoreWindowBytes
                                           : UINT64_MAX;
    while (!pipe.window.empty() &&
           (pipe.window.front().ready <= when || pipe.inFlight + MemorySystem::kChunk > most)) {
        when = std::max(when, pipe.window.front().ready);
        pipe.inFlight -= pipe.window.front().bytes;
        pipe.window.pop_front();
    }
    return when;
}

bool CoreClock::Serve(uint32_t index, Ticks now, MemorySystem& memory) {
    PipeState& pipe = pipes_[index];
    if (index == kS) {
        const Ticks ready = memory.ServeScalar(now, pipe.transfer.Next().begin);
        Row& row = scalarRow_->row;
        row.ticks = ready - row.start;
        CountStartup(pipe.transfer.operation().startup, ready - now);
        EndWait(pipe.transfer.operation(), row, ready);
        log_.End(*scalarRow_);
        scalar_ = ready;
        reading_ = false;
        return true;
    }
    const MemorySystem::Served served = memory.Serve(now, index_, &pipe.transfer, &pipe.last);
    const Ticks port = served.bytes * pipe.portPerByte >> 16;
    const Ticks issued =
        now + served.waits +
        std::max(served.rows * kRowTicks, served.rows * pipe.transfer.operation().row + port);
    pipe.ready = std::max(pipe.ready, served.ready);
    pipe.window.push_back({served.drained, served.window});
    pipe.inFlight += served.window;
    if (!pipe.transfer.Done()) {
        chip_.Request(*this, index, pipe.transfer, NextRequest(pipe, index, issued));
        return false;
    }
    EndCopy(pipe, issued);
    return true;
}

void CoreClock::EndCopy(PipeState& pipe, Ticks issued) {
    const Ticks end = std::max(pipe.ready, issued);
    Row& row = pipe.row->row;
    row.start = pipe.began;
    row.ticks = end - pipe.began;
    row.busy = end - std::min(end, std::max(pipe.began, pipe.done));
    pipe.busy += row.busy;
    pipe.free = issued;
    pipe.done = std::max(pipe.done, end);
    pipe.copying = false;
    const Operation& operation = pipe.transfer.operation();
    EndWait(operation, row, end);
    log_.End(*pipe.row);
    if (operation.sync == CoreSync::What::Release) {
        chip_.Release(*this, SyncOf(operation), end);
    }
    if (operation.held) {
        scalar_ = end + operation.after;
        holding_ = false;
    }
}

}  // namespace twin::timing
