// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>

#include "timing/operations.h"

namespace twin::timing {

/// The rows (times of instructions) of one core. A row is open until the times of its instruction
/// are known. Then the row goes into the sums of its operation, and the log keeps the row only if
/// it is one of the first instructions of the core.
class RowLog {
public:
    struct Open {
        Row row;
        uint64_t number;  ///< index of the instruction on its core
        bool ended;
    };

    RowLog(Operations& operations, CoreKind kind, uint32_t core)
        : operations_(operations), kind_(kind), core_(static_cast<uint16_t>(core)) {}

    /// The core begins at `start`. The log keeps the first `most` rows.
    void Begin(Ticks start, uint64_t most);
    /// Returns the open row of the core's next instruction; valid until End().
    Open& New(uint32_t operation, uint8_t pipe, Ticks start);
    /// Adds work of the scalar unit that comes before the next instruction, which has `operation`.
    void AddScalar(uint32_t operation, Ticks ticks) {
        operations_.AddScalar(operation, ticks);
        if (next_ < count_) {
            scalar_[next_] = static_cast<uint32_t>(std::min<Ticks>(ticks, UINT32_MAX));
        }
    }
    /// Notes that the scalar unit waits for the code of the core's next instruction.
    void WaitForCode(uint32_t operation, Ticks ticks) {
        operations_.AddCode(operation, kind_, uint64_t{core_} << Operations::kNumberBits | next_,
                            ticks);
    }
    /// Notes that the times of the row are known.
    void End(Open& open);
    /// The kept rows in program order.
    struct Kept {
        Row* first;
        uint64_t count;
        Row* begin() const { return first; }
        Row* end() const { return first + count; }
    };
    Kept kept() const { return {kept_.get(), count_}; }
    /// For each kept row, the ticks of the scalar unit's work before the instruction.
    const uint32_t* scalar() const { return scalar_.get(); }

private:
    /// The rows of one pipe from its first open row on, in program order. Only the order of the
    /// program tells how long the pipe is idle between two instructions.
    struct Track {
        std::deque<Open> rows;
        Ticks done = 0;  ///< end of the latest instruction that has left `rows`
    };

    void Take(Track& track, const Open& open);

    Operations& operations_;
    const CoreKind kind_;
    const uint16_t core_;
    uint64_t next_ = 0;  ///< number of the next instruction
    Track tracks_[kPipes];
    struct Free {
        void operator()(void* rows) const { std::free(rows); }
    };
    uint64_t count_ = 0;  ///< number of rows in kept_
    /// From calloc: memory that is zero without a pass over it. An instruction without an end has
    /// no other row.
    std::unique_ptr<Row[], Free> kept_;
    std::unique_ptr<uint32_t[], Free> scalar_;  ///< of the same length
};

}  // namespace twin::timing
