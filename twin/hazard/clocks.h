// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/core.h"
#include "core/instruction.h"

namespace twin::hazard {

/// A lane of a core executes its instructions in order. The scalar unit has two lanes: a read has
/// ended when the next instruction is issued, a write may not have ended.
enum Lane : uint8_t { kS, kV, kM, kMte1, kMte2, kMte3, kFix, kScalarRead };
constexpr uint32_t kLanes = 8;

constexpr Lane LaneOf(Pipe pipe) { return pipe == Pipe::Fix ? kFix : static_cast<Lane>(pipe); }
constexpr Pipe PipeOf(Lane lane) {
    return lane == kFix ? Pipe::Fix : (lane == kScalarRead ? Pipe::S : static_cast<Pipe>(lane));
}

/// A vector clock of one core: the number of instructions of each lane that are known to have
/// ended.
struct Clock {
    std::array<uint32_t, kLanes> ended = {};

    bool operator==(const Clock& other) const { return ended == other.ended; }
    bool Covers(Lane lane, uint32_t index) const { return index <= ended[lane]; }
    void Join(const Clock& other) {
        for (uint32_t i = 0; i < kLanes; ++i) {
            ended[i] = other.ended[i] > ended[i] ? other.ended[i] : ended[i];
        }
    }
};

/// The vector clock of a launch has a clock for each core. Cores that have met share one.
using LaunchClock = std::vector<Clock>;
using SharedClock = std::shared_ptr<const LaunchClock>;

/// A core releases to others what it has acquired, and what has ended on itself.
struct ReleaseClock {
    SharedClock acquired;
    uint32_t core = 0;
    Clock own;
};

/// Returns the clock of a core that acquires all of them; `all` is not empty.
SharedClock Joined(const std::vector<ReleaseClock>& all);
/// Returns the clock that holds both. It is one of the two if that one holds the other.
SharedClock Joined(const SharedClock& one, const SharedClock& other);

/// The clocks of one core. The scalar unit issues in program order, so all instructions that are
/// issued later know what it knows; flags and barriers add the rest.
class CoreClocks {
public:
    /// Issues an instruction with accesses to `lane` and returns its number there, from 1.
    uint32_t Issue(Lane lane) {
        if (lane != kScalarRead) {
            Follow(lane);
        }
        return ++issued_[lane];
    }
    /// Returns which instructions have ended when the latest instruction of `lane` begins.
    const Clock& Known(Lane lane) const { return known_[lane == kScalarRead ? kS : lane]; }

    void SetFlag(uint32_t event, uint32_t id, Lane source);
    void WaitFlag(uint32_t event, uint32_t id, Lane destination);
    /// Executes a PipeBarrier of one pipe; kS stands for the memory accesses of the scalar unit.
    void Barrier(Lane lane);
    void BarrierAll();
    /// All later instructions begin after the ones that `ended` counts.
    void Resume(const Clock& ended) { Join(kS, ended); }
    /// Returns what has ended once all instructions of `lane` so far have ended.
    Clock After(Lane lane);
    /// Returns what has ended once all instructions of all lanes so far have ended.
    Clock AfterAll() const;
    /// Instructions of `to` begin after number `index` of `from` has ended, though no flag or
    /// barrier of the kernel orders them.
    void Learn(Lane to, Lane from, uint32_t index);
    /// Returns a number that grows when a lane may have learnt something. Two accesses at the same
    /// number have the same order with all others.
    uint64_t Changes() const { return changes_; }

private:
    struct Step {
        uint32_t index = 0;  ///< number of the first instruction that knew this clock
        Clock clock;
    };
    /// Keeps the latest steps of a lane in a ring.
    class Steps {
    public:
        void Add(const Step& step);
        /// Returns what instruction `index` knew; nullptr if it knew nothing, or if the ring has
        /// dropped it.
        const Clock* At(uint32_t index) const;

    private:
        const Step& Number(size_t number) const {
            return steps_[(oldest_ + number) % steps_.size()];
        }

        std::vector<Step> steps_;
        size_t oldest_ = 0;
    };

    /// Adds what the scalar unit knows to the clock of the lane.
    void Follow(Lane lane);
    void Join(Lane lane, const Clock& clock);
    Clock& Scalar() { return known_[kS]; }

    std::array<uint32_t, kLanes> issued_ = {};
    std::array<Clock, kLanes> known_ = {};
    std::array<uint32_t, kLanes> followed_ = {};  ///< version of the scalar unit's clock
    uint32_t version_ = 0;
    uint64_t changes_ = 0;
    std::array<Steps, kLanes> history_;  ///< earlier clocks of each lane
    Clock flags_[kHardEvents][kEventIds];
};

}  // namespace twin::hazard
