// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/library_steps.h"
#include "core/settings.h"
#include "hazard/access.h"
#include "hazard/clocks.h"

namespace twin::hazard {

/// The happens-before relation of one core's instructions: what flags and barriers order, what the
/// hardware keeps in order, what the toolkit's compiler puts in on vector cores, and what the
/// library does inside its calls.
class CoreOrder {
public:
    CoreOrder(Hazards level, CoreKind kind)
        : compilerOrders_(level == Hazards::AutoSync && kind == CoreKind::Aiv) {}

    /// Returns true if `a` has ended when `b` begins, an access of the latest instruction.
    bool Before(const Access& a, const CurrentAccess& b) {
        return OrderedByClock(a, b.access) || OrderedWithoutFlag(a, b);
    }
    /// Returns true for steps of one library call, and for steps of Matmul calls: the library keeps
    /// them in order.
    bool OrderedByLibrary(const Access& a, const CurrentAccess& b) const;

    /// Returns the lane that the instruction is issued to.
    static Lane LaneOf(const Instruction& i);
    /// Issues the instruction and returns its access; `number` is the number of its site.
    Access Issue(const Instruction& i, Lane lane, const Site& site, uint32_t number);
    /// Returns the next number of the scalar unit's count.
    uint32_t IssueScalar() { return clocks_.Issue(kScalarRead); }

    /// Returns true if the instruction is a barrier of this core.
    bool Barrier(const Instruction& i);
    void Flag(const record::Flag& flag);
    /// Execute the barriers with which a call whose steps are not recorded begins and ends.
    void BeginCall(const Instruction& i);
    void EndCall(const Instruction& i);

    /// Return what has ended once all instructions so far of the lane, or of all lanes, have ended.
    Clock After(Lane lane) { return clocks_.After(lane); }
    Clock AfterAll() const { return clocks_.AfterAll(); }
    const Clock& ScalarClock() const { return clocks_.Known(kS); }
    /// All later instructions begin after the ones that `ended` counts.
    void Resume(const Clock& ended) { clocks_.Resume(ended); }
    uint64_t Changes() const { return clocks_.Changes(); }

private:
    /// The order of an access depends on these traits of its site beside the clock.
    struct Traits {
        bool matmul : 1;
        bool unitFlag : 1;
        bool localElement : 1;   ///< the compiler sees a scalar access to an element in UB
        bool globalElement : 1;  ///< the compiler sees a scalar access to an element in GM
    };

    bool OrderedByClock(const Access& a, const Access& b) const {
        return clocks_.Known(b.lane).Covers(a.lane, a.index) || a.lane == kScalarRead ||
               a.SameInstruction(b) || (compilerOrders_ && a.lane == kV && b.lane == kV);
    }
    bool OrderedWithoutFlag(const Access& a, const CurrentAccess& b);
    bool OrderedByHardware(const Access& a, const CurrentAccess& b) const;
    bool OrderedByCompiler(const Access& a, const CurrentAccess& b) const;
    bool OrderedInsideCall(const Access& a, const CurrentAccess& b) const;
    void ChainSteps(const Instruction& i, const Access& step, bool matmul);

    const bool compilerOrders_;
    CoreClocks clocks_;
    std::vector<Traits> traits_;  ///< traits of each site
    KnownOrders orders_;
    CallOrder call_;  ///< order of the latest library call that is one record
    // Numbers of the latest steps on each lane: of the current library call, and of all Matmul
    // calls.
    uint64_t callBegin_ = UINT64_MAX;
    uint32_t callSteps_[kLanes] = {};
    uint32_t matmulSteps_[kLanes] = {};
};

}  // namespace twin::hazard
