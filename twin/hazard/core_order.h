// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/library_steps.h"
#include "core/settings.h"
#include "hazard/access.h"
#include "hazard/clocks.h"

namespace twin::hazard {

/// Decides which instructions of one core happen before others. Order comes from flags and
/// barriers, the hardware, the toolkit's compiler (on vector cores), and library calls.
class CoreOrder {
public:
    CoreOrder(Hazards level, CoreKind kind)
        : compilerOrders_(level == Hazards::AutoSync && kind == CoreKind::Aiv) {}

    /// Returns true if `a` has ended when `b`, an access of the latest instruction, begins.
    bool Before(const Access& a, const CurrentAccess& b) {
        return OrderedByClock(a, b.access) || OrderedWithoutFlag(a, b);
    }
    /// Returns true if the library orders the accesses: they are in one library call, or both are
    /// in Matmul calls.
    bool OrderedByLibrary(const Access& a, const CurrentAccess& b) const;

    /// Returns the lane of the instruction. A lane is a pipe's stream of instructions.
    static Lane LaneOf(const Instruction& i);
    /// Issues the instruction and returns its Access; `number` is the number of `site`.
    Access Issue(const Instruction& i, Lane lane, const Site& site, uint32_t number);
    /// Counts one instruction of the scalar unit and returns its number.
    uint32_t IssueScalar() { return clocks_.Issue(kScalarRead); }

    /// Executes a barrier between this core's pipes; returns false for other instructions.
    bool Barrier(const Instruction& i);
    void Flag(const record::Flag& flag);
    /// Executes the barrier, if any, at the start of a library call that is recorded as a whole.
    void BeginCall(const Instruction& i);
    /// Executes the barriers inside and at the end of a library call that is recorded as a whole.
    void EndCall(const Instruction& i);
    /// Returns the access of the current instruction to one of its operands. A library call with a
    /// barrier inside counts as two instructions. Operands that the call uses only before the
    /// barrier belong to the first of these instructions.
    Access AccessTo(const ByteRange& range, Access access) const {
        access.index = firstPart_ != 0 && call_.Early(range) ? firstPart_ : access.index;
        return access;
    }

    Clock After(Lane lane) { return clocks_.After(lane); }
    Clock AfterAll() const { return clocks_.AfterAll(); }
    const Clock& ScalarClock() const { return clocks_.Known(kS); }
    void Resume(const Clock& ended) { clocks_.Resume(ended); }
    uint64_t Changes() const { return clocks_.Changes(); }

private:
    /// Properties of a site that, together with the clocks, decide the order of its accesses.
    struct Traits {
        bool matmul : 1;
        bool unitFlag : 1;
        bool localElement : 1;   ///< scalar access to a UB element; the compiler orders it
        bool globalElement : 1;  ///< scalar access to a GM element; the compiler orders it
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
    std::vector<Traits> traits_;  ///< traits of each site, by its number
    KnownOrders orders_;
    CallOrder call_;  ///< barriers of the latest library call recorded as a whole
    /// If the current call counts as two instructions, the number of the first; otherwise 0.
    uint32_t firstPart_ = 0;
    // By lane: number of the latest instruction in the current library call (callSteps_), and in
    // all Matmul calls (matmulSteps_).
    uint64_t callBegin_ = UINT64_MAX;
    uint32_t callSteps_[kLanes] = {};
    uint32_t matmulSteps_[kLanes] = {};
};

}  // namespace twin::hazard
