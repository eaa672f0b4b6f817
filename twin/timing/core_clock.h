// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/core.h"
#include "core/cross_core.h"
#include "timing/event_queue.h"
#include "timing/memory_system.h"
#include "timing/program.h"
#include "timing/row_log.h"

namespace twin::timing {

class CoreClock;

/// The interface of a core to the rest of the chip: GM and the other cores.
class Chip {
public:
    virtual ~Chip() = default;
    /// Queues the next GM request of `transfer`, which a pipe of `core` makes at `when`.
    virtual void Request(CoreClock& core, uint32_t pipe, const Transfer& transfer, Ticks when) = 0;
    virtual void CrossSet(CoreClock& core, int32_t mode, int32_t flag, Ticks when) = 0;
    /// Notes that `core` has reached a barrier of `cores` cores; CoreClock::GoOn ends its wait.
    virtual void Arrive(CoreClock& core, uint32_t cores, Ticks when) = 0;
    /// Notes that `core` tells other cores that its earlier instructions have ended (a release).
    virtual void Release(CoreClock& core, const CoreSync& sync, Ticks when) = 0;
    /// Notes that `core` waits for releases by other cores. CoreClock::Grant ends the wait.
    virtual void Await(CoreClock& core, const CoreSync& sync, Ticks when) = 0;
    /// Counts `bytes` that a waiting core has read in unsuccessful polls.
    virtual void Polled(uint64_t bytes) = 0;
};

/// Computes the times of one core. The scalar unit puts instructions into the queues of the pipes,
/// which execute them in order. Each pipe is simulated until it needs GM, another core, or a flag
/// that is not set yet.
class CoreClock {
public:
    CoreClock(const Program& program, uint32_t index, Chip& chip, const StartupCosts& costs,
              Operations& operations);

    /// Starts the core, whose rows() will be those of its first `most` instructions. `before` has
    /// the times of the launch's start until `when`, and the time in which the scalar unit prepares
    /// the core. `first`: the core has run no other block, so it has no code yet.
    void Begin(Ticks when, uint64_t most, const StartupTimes& before, bool first);
    /// Adds the times of the start of earlier blocks on this core.
    void AddStartup(const StartupTimes& earlier) {
        for (uint32_t term = 0; term < kStartups; ++term) {
            startup_[term] += earlier[term];
        }
    }
    /// Frees the memory that only a running core needs.
    void Finish();
    /// Executes the program as far as possible.
    void Advance();
    /// Serves a GM request of a pipe. Returns true if the core may continue.
    bool Serve(uint32_t pipe, Ticks now, MemorySystem& memory);
    void Raise(int32_t flag, Ticks when) { crossFlags_[flag].push_back(when); }
    /// Continues after a barrier that all cores have reached.
    void GoOn(Ticks when);
    /// Continues after a wait: the message came at `when`, and the core sees it at its next poll.
    void Grant(Ticks when);
    bool Finished() const;

    const Program& program() const { return program_; }
    uint32_t index() const { return index_; }
    Ticks start() const { return start_; }
    Ticks end() const;
    Ticks busy(uint32_t pipe) const { return pipes_[pipe].busy; }
    Ticks conflicts() const { return conflicts_; }
    const StartupTimes& startup() const { return startup_; }
    RowLog::Kept rows() const { return log_.kept(); }
    const uint32_t* scalarWork() const { return log_.scalar(); }
    /// Returns the instruction at which the core waits, such as "WaitFlag" with its source line;
    /// nullptr if the core has ended.
    const Description* Stuck() const;

private:
    struct Entry {
        const Operation* operation;
        const uint32_t* code;  ///< GM addresses of the instruction in Program::code
        Ticks issued;
        RowLog::Open* row;
        uint64_t products;  ///< number of earlier instructions of pipe M
    };
    /// A slot of a pipe's queue, which is a ring buffer.
    struct Slot {
        Entry entry;
        Ticks free;  ///< time at which the slot can take another entry
    };
    struct InFlight {
        Ticks ready;
        uint64_t bytes;
    };
    struct PipeState {
        std::vector<Slot> queue;
        uint32_t next = 0;   ///< slot of the next entry
        uint32_t front = 0;  ///< slot of the first entry that has not started
        uint64_t issued = 0;
        uint64_t started = 0;
        Ticks free = 0;  ///< time at which the pipe takes the next instruction
        Ticks done = 0;  ///< time at which all instructions so far are finished
        Ticks busy = 0;
        Why why = kNothing;
        // The following members describe the copy that is making requests to GM.
        bool copying = false;
        Transfer transfer;
        Ticks began = 0;
        Ticks ready = 0;
        uint64_t portPerByte = 0;  ///< time of a byte in the core's port, in 1/65536 of a tick
        RowLog::Open* row = nullptr;
        MemorySystem::LastRow last;
        Fifo<InFlight> window;
        uint64_t inFlight = 0;

        bool Empty() const { return issued == started; }
        uint32_t After(uint32_t place) const { return place + 1 == queue.size() ? 0 : place + 1; }
    };

    bool StepScalar();
    void WorkAlone();
    bool StepPipe(uint32_t pipe);
    bool Enqueue(const Operation& operation);
    bool WaitScalar(const Operation& operation);
    bool Meet(const Operation& operation);
    bool Acquire(const Operation& operation);
    const CoreSync& SyncOf(const Operation& operation) const {
        return table_.syncs[operation.syncAt];
    }
    void EndWait(const Operation& operation, Row& row, Ticks end);
    bool ReadGm(const Operation& operation);
    /// Lets the scalar unit wait for code that the core has not executed yet.
    void FirstUse(const Operation& operation);
    /// Returns the time until the addresses of the operation's accesses are translated.
    Ticks Translate(const Operation& operation, const uint32_t* code);
    void CountStartup(Startup term, Ticks ticks) {
        if (term != Startup::None) {
            startup_[static_cast<uint32_t>(term)] += ticks;
        }
    }
    void Advanced(const Operation& operation);
    bool TakeFlag(PipeState& pipe, const Entry& entry);
    bool Start(uint32_t pipe, PipeState& state, const Entry& entry);
    void StartCopy(uint32_t pipe, PipeState& state, const Entry& entry, Ticks start);
    void EndCopy(PipeState& state, Ticks issued);
    void Pop(PipeState& state, Ticks when);
    Ticks NextRequest(PipeState& state, uint32_t pipe, Ticks when);
    bool Idle() const;
    Ticks AllDone() const;
    RowLog::Open& NewRow(const Operation& operation, Ticks start);
    uint32_t NumberOf(const Operation& operation) const {
        return static_cast<uint32_t>(&operation - table_.operations.data());
    }
    const Description& DescriptionOf(const Operation& operation) const {
        return table_.descriptions[NumberOf(operation)];
    }
    bool AtScalarWork() const { return (program_.code[at_] & Program::kScalarWork) != 0; }
    const Operation& Current() const { return table_.operations[program_.code[at_]]; }
    Fifo<Ticks>& FlagOf(const Operation& operation) {
        return flags_[static_cast<size_t>(operation.event) * kEventIds +
                      static_cast<size_t>(operation.id)];
    }

    const Program& program_;
    const OperationTable& table_;
    const uint32_t index_;
    Chip& chip_;
    size_t at_ = 0;  ///< position in the program's code
    Ticks scalar_ = 0;
    Ticks start_ = 0;
    Ticks conflicts_ = 0;
    bool meeting_ = false;
    bool reading_ = false;
    bool holding_ = false;  ///< the scalar unit waits for the end of a copy
    // State of a call that waits for other cores.
    enum class Waiting : uint8_t { No, Asked, Granted } waiting_ = Waiting::No;
    Ticks asked_ = 0;
    uint64_t polls_ = 0;  ///< number of unsuccessful polls
    PipeState pipes_[kPipes];
    std::vector<Fifo<Ticks>> flags_;  ///< times at which flags were set, indexed by event and id
    Fifo<Ticks> crossFlags_[CrossCoreFlags::kFlags];
    std::vector<uint64_t> cacheLines_;
    const StartupCosts& costs_;
    StartupTimes startup_ = {};
    std::vector<bool> executed_;  ///< by Operation::place: the core has the code
    Ticks worked_ = 0;            ///< work of the kernel's own code before the next instruction
    bool first_ = false;          ///< the core has run no other block
    bool accessed_[2] = {};       ///< a pipe has loaded, has stored
    Ticks codeWait_ = 0;
    bool waitedForCode_ = false;  ///< the scalar unit has waited for the next instruction's code
    CodeCache codeCache_;
    Pages pages_;
    RowLog log_;
    /// Row of the scalar unit's instruction that waits for GM or for other cores.
    RowLog::Open* scalarRow_ = nullptr;
};

}  // namespace twin::timing
