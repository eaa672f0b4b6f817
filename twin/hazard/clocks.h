// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/core.h"
#include "core/instruction.h"

namespace twin::hazard {

/// A stream of instructions that a core executes in order: one per pipe, two for the scalar unit.
/// Scalar reads (kScalarRead) end before the next instruction begins. Scalar writes may end later.
/// kProgram is no stream: there a Clock stores the number of the instruction by which the core
/// signalled another core. Numbers count the instructions of the core's program. This number orders
/// no accesses. Findings use it only to decide which of two accesses the kernel needs first.
enum Lane : uint8_t { kS, kV, kM, kMte1, kMte2, kMte3, kFix, kScalarRead, kProgram };
constexpr uint32_t kLanes = 9;

constexpr Lane LaneOf(Pipe pipe) { return pipe == Pipe::Fix ? kFix : static_cast<Lane>(pipe); }
constexpr Pipe PipeOf(Lane lane) {
    return lane == kFix ? Pipe::Fix : (lane == kScalarRead ? Pipe::S : static_cast<Pipe>(lane));
}

/// A vector clock of one core: how many instructions of each lane are known to have ended.
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

/// The vector clock of a launch: one Clock per core. Cores that have synchronised share one object.
using LaunchClock = std::vector<Clock>;
using SharedClock = std::shared_ptr<const LaunchClock>;

/// What a core passes to waiting cores: all clocks that it has acquired, and its own clock.
struct ReleaseClock {
    SharedClock acquired;
    uint32_t core = 0;
    Clock own;
};

/// Returns the clock of a core that has waited for all these releases; `all` must not be empty.
SharedClock Joined(const std::vector<ReleaseClock>& all);
/// Returns the element-wise maximum; returns `one` or `other` itself if it equals the maximum.
SharedClock Joined(const SharedClock& one, const SharedClock& other);

/// The clocks of one core's lanes. The scalar unit issues all instructions. An instruction begins
/// after all instructions for which the scalar unit has waited. Flags and barriers add more order.
class CoreClocks {
public:
    /// Issues an instruction to `lane` and returns its number in that lane, from 1.
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
    /// Executes a PipeBarrier of one pipe; kS is a barrier for the scalar unit's memory accesses.
    void Barrier(Lane lane);
    void BarrierAll();
    /// Makes all later instructions begin after the instructions that `ended` counts.
    void Resume(const Clock& ended) { Join(kS, ended); }
    /// Returns the clock at the time when all instructions issued to `lane` so far have ended.
    Clock After(Lane lane);
    /// Returns the clock at the time when all instructions issued so far have ended.
    Clock AfterAll() const;
    /// Orders later instructions of lane `to` after instruction `index` of `from`, without a flag.
    void Learn(Lane to, Lane from, uint32_t index);
    /// Returns a number that grows with each change of a clock or flag. If two accesses of one lane
    /// have the same number, each access of another lane or core has the same order to both.
    uint64_t Changes() const { return changes_; }

private:
    struct Step {
        uint32_t index = 0;  ///< number of the first instruction with this clock
        Clock clock;
    };
    /// A ring buffer of the latest clocks of a lane.
    class Steps {
    public:
        void Add(const Step& step);
        /// Returns the clock of instruction `index`; nullptr if the ring buffer does not have it.
        const Clock* At(uint32_t index) const;

    private:
        const Step& Number(size_t number) const {
            return steps_[(oldest_ + number) % steps_.size()];
        }

        std::vector<Step> steps_;
        size_t oldest_ = 0;
    };

    /// Joins the scalar unit's clock into the clock of the lane.
    void Follow(Lane lane);
    void Join(Lane lane, const Clock& clock);
    Clock& Scalar() { return known_[kS]; }

    std::array<uint32_t, kLanes> issued_ = {};
    std::array<Clock, kLanes> known_ = {};
    std::array<uint32_t, kLanes> followed_ = {};  ///< by lane: version_ at its latest Follow()
    uint32_t version_ = 0;
    uint64_t changes_ = 0;
    std::array<Steps, kLanes> history_;  ///< earlier clocks of each lane
    Clock flags_[kHardEvents][kEventIds];
};

}  // namespace twin::hazard
