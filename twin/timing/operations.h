// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/types.h"
#include "timing/event_queue.h"
#include "timing/operation_table.h"
#include "timing/program.h"

namespace twin::timing {

/// The reason why an instruction did not begin earlier. A value from kFlagBase on means a flag:
/// kFlagBase + its HardEvent.
using Why = uint8_t;
constexpr Why kNothing = 0, kIssue = 1, kPipe = 2, kBarrierOf = 3, kCore = 4, kMemory = 5,
              kCode = 6;
constexpr Why kFlagBase = 64;

/// The times of one instruction. The file of a profile contains these objects in binary form.
struct Row {
    Ticks start = 0;
    uint64_t ticks = 0;  ///< ticks from the start of the instruction to its result
    uint64_t busy = 0;   ///< part of `ticks` in which the pipe worked on this instruction only
    Ticks issued = 0;  ///< time at which the scalar unit put the instruction into its pipe's queue
    uint32_t operation = 0;
    uint16_t core = 0;
    Why why = kNothing;
    uint8_t pipe = 0;
};
static_assert(sizeof(Row) == 40, "the profile's file has rows of 40 bytes");

/// Returns the JSON text `"name": value`.
std::string Field(const char* name, uint64_t value);

/// The operations (groups of equal instructions) of a profile, with sums over all instructions of
/// the launch. The sums are added up while the launch is simulated, so the memory that they need
/// does not depend on the number of instructions.
class Operations {
public:
    static constexpr uint32_t kNumberBits = 40;  ///< bits of an instruction's number on its core

    explicit Operations(const OperationTable& table) : table_(table) {}

    /// Call before the first Add(), when the table has all operations.
    void Begin();
    /// Adds an instruction. `number` is its index on its core, `drawn` its length on the track of
    /// its pipe, and `idle` the time from the previous instruction on this track.
    void Add(const Row& row, CoreKind kind, uint64_t number, Ticks drawn, Ticks idle);
    /// Adds the scalar unit's work of the kernel's own code before an instruction of `operation`.
    void AddScalar(uint32_t operation, Ticks ticks) {
        if (operation < sums_.size()) {
            sums_[operation].scalar += ticks;
        }
    }
    /// Adds the time for which the scalar unit waits for the code of the instruction at `place`.
    void AddCode(uint32_t operation, CoreKind kind, uint64_t place, Ticks ticks) {
        sums_[operation].waited[kind == CoreKind::Aiv].code.Add(place, ticks);
    }
    /// Puts the operations into the order of their first use, core by core. Operations of the table
    /// with equal JSON fields become one operation. Call after the last Add().
    void End();

    /// Returns the profile's number of an operation of the table; valid after End().
    uint32_t NumberOf(uint32_t operation) const { return known_[operation]; }
    std::string Json() const;
    /// Returns the waiting times as a list of kind of core, pipe, Row::why, operation, ticks.
    std::string WaitsJson() const;

private:
    /// The waiting time of an operation; `first` is the place of the first instruction that waits.
    struct Wait {
        uint64_t first = UINT64_MAX, ticks = 0;
        void Add(uint64_t place, Ticks more) {
            first = place < first ? place : first;
            ticks += more;
        }
    };
    struct Waited {
        Wait own;   ///< time in which the instruction itself waits
        Wait idle;  ///< time in which the pipe has nothing to do before the instruction
        Wait code;  ///< time in which the scalar unit waits for the instruction's code
        Why why =
            kNothing;  ///< the reason of `own`; all instructions of an operation have the same
    };
    /// The sums of an operation of the table. A place is the core and the number of an instruction.
    struct Sum {
        uint64_t first = UINT64_MAX;  ///< place of the first instruction
        uint64_t count = 0, busy = 0, ticks = 0;
        uint64_t scalar = 0;  ///< ticks of the scalar work before these instructions
        Waited waited[2];     ///< of cube cores, of vector cores
    };
    struct Merged {
        std::string fields;  ///< JSON fields that identify the operation
        uint64_t count = 0, busy = 0, ticks = 0, conflicts = 0, work = 0;
    };
    /// Operations with different fields, in the order of their first use.
    struct List {
        std::vector<Merged> items;
        std::unordered_map<std::string, uint32_t> numbers;  ///< index in `items`, by Merged::fields
        uint32_t NumberOf(std::string fields);
    };

    const OperationTable& table_;
    std::vector<Sum> sums_;        ///< by index in table_
    std::vector<uint32_t> known_;  ///< index in list_, by index in table_
    List list_;
    /// The scalar work before the instructions of each source line. Profiles list it behind list_.
    List scalar_;
};

}  // namespace twin::timing
