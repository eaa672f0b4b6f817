// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/core.h"
#include "core/instruction.h"

namespace twin::hazard {

/// What works off instructions one behind the other on a core. Reads of the scalar unit are a lane
/// of their own: they have ended when the next instruction is issued, its writes have not.
enum Lane : uint8_t { kS, kV, kM, kMte1, kMte2, kMte3, kFix, kScalarRead };
constexpr uint32_t kLanes = 8;

constexpr Lane LaneOf(Pipe pipe) { return pipe == Pipe::Fix ? kFix : static_cast<Lane>(pipe); }
constexpr Pipe PipeOf(Lane lane) {
    return lane == kFix ? Pipe::Fix : (lane == kScalarRead ? Pipe::S : static_cast<Pipe>(lane));
}

/// How many instructions of each lane have ended, as somebody knows it.
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

/// The clocks of one core. The scalar unit issues in program order, so what it knows everybody
/// issued later knows; everything else comes from flags and barriers.
class CoreClocks {
public:
    /// An instruction with accesses is issued to `lane`; its number there, from 1.
    uint32_t Issue(Lane lane) {
        if (lane != kScalarRead) {
            Follow(lane);
        }
        return ++issued_[lane];
    }
    /// What has ended when the instruction that was issued last to `lane` begins.
    const Clock& Known(Lane lane) const { return known_[lane == kScalarRead ? kS : lane]; }
    uint32_t Issued(Lane lane) const { return issued_[lane]; }

    void SetFlag(uint32_t event, uint32_t id, Lane source);
    void WaitFlag(uint32_t event, uint32_t id, Lane destination);
    /// PipeBarrier of one pipe; of kS: the scalar unit's own memory traffic.
    void Barrier(Lane lane);
    void BarrierAll();
    /// All that is issued from here on begins after what `ended` counts.
    void Resume(const Clock& ended) { Join(kS, ended); }
    /// What has ended once everything that was issued to `lane` so far has.
    Clock After(Lane lane);
    /// The same of all lanes.
    Clock AfterAll() const;
    /// Instructions of `to` begin after number `index` of `from` has ended: an order that nothing
    /// in the stream stands for.
    void Learn(Lane to, Lane from, uint32_t index);
    /// Counts what anybody has learnt, or may learn: accesses between equal numbers are ordered
    /// with everything else in the same way.
    uint64_t Changes() const { return changes_; }

private:
    struct Step {
        uint32_t index = 0;  ///< the first instruction that knew it
        Clock clock;
    };
    /// The latest steps of a lane, in a ring.
    class Steps {
    public:
        void Add(const Step& step);
        /// What instruction `index` knew; null: that was too long ago, or nothing.
        const Clock* At(uint32_t index) const;

    private:
        const Step& Number(size_t number) const {
            return steps_[(oldest_ + number) % steps_.size()];
        }

        std::vector<Step> steps_;
        size_t oldest_ = 0;
    };

    /// Takes over what the scalar unit knows.
    void Follow(Lane lane);
    void Join(Lane lane, const Clock& clock);
    Clock& Scalar() { return known_[kS]; }

    std::array<uint32_t, kLanes> issued_ = {};
    std::array<Clock, kLanes> known_ = {};
    std::array<uint32_t, kLanes> followed_ = {};  ///< version of the scalar unit's clock
    uint32_t version_ = 0;
    uint64_t changes_ = 0;
    std::array<Steps, kLanes> history_;  ///< of what lanes knew
    Clock flags_[kHardEvents][kEventIds];
};

}  // namespace twin::hazard
