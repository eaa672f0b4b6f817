// SPDX-License-Identifier: Apache-2.0
#include "hazard/core_order.h"

#include <algorithm>
#include <iterator>

#include "core/core.h"

namespace twin::hazard {
namespace {

constexpr uint64_t kFractalBytes = 1024;  // bytes of a fractal in L0C
// The cube unit orders dependent Mmad instructions if the result has at least so many fractals.
constexpr uint64_t kOrderedFractals = 10;

/// Returns true if the compiler can see the scalar access and therefore orders it. The compiler
/// does not see accesses through pointers or by GlobalTensor::SetValue.
bool IsElementAccess(Opcode opcode, bool global) {
    return opcode == Opcode::GetValue || opcode == Opcode::ElementReference ||
           (opcode == Opcode::SetValue && !global);
}

constexpr Lane ScalarOf(Lane lane) { return lane == kScalarRead ? kS : lane; }

}  // namespace

Lane CoreOrder::LaneOf(const Instruction& i) {
    const Lane lane = hazard::LaneOf(i.pipe);
    if (lane != kS) {
        return lane;
    }
    const bool writes = std::any_of(i.ranges.begin(), i.ranges.end(),
                                    [](const ByteRange& range) { return range.write; });
    return writes ? kS : kScalarRead;
}

Access CoreOrder::Issue(const Instruction& i, Lane lane, const Site& site, uint32_t number) {
    if (number >= traits_.size()) {
        traits_.resize(number + size_t{1});
        traits_[number] = {site.matmul, site.unitFlag, IsElementAccess(site.opcode, false),
                           IsElementAccess(site.opcode, true)};
    }
    Access access;
    const bool split = i.As<record::Call>() != nullptr && call_.orders && !call_.ends;
    firstPart_ = split && lane == kV ? clocks_.Issue(kV) : 0;
    access.index = clocks_.Issue(lane);
    access.sequence = static_cast<uint32_t>(i.sequence);
    access.site = number;
    access.lane = lane;
    if (i.call != Opcode::None || site.matmul) {
        ChainSteps(i, access, site.matmul);
    }
    return access;
}

/// Orders an instruction inside a library call after the earlier instructions of this call. In
/// Matmul, the pipes have the order MTE2, MTE1, M, FIX: M waits for MTE2 and MTE1, but not for FIX.
void CoreOrder::ChainSteps(const Instruction& i, const Access& step, bool matmul) {
    static constexpr Lane kAll[] = {kS, kV, kM, kMte1, kMte2, kMte3, kFix, kScalarRead};
    static constexpr Lane kWay[] = {kMte2, kMte1, kM, kFix};
    uint32_t* const steps = matmul ? matmulSteps_ : callSteps_;
    if (!matmul && i.callBegin != callBegin_) {
        callBegin_ = i.callBegin;
        std::fill(std::begin(callSteps_), std::end(callSteps_), 0U);
    }
    const Lane* const lanes = matmul ? kWay : kAll;
    const size_t count = matmul ? std::size(kWay) : std::size(kAll);
    for (size_t k = 0; k < count && !(matmul && lanes[k] == step.lane); ++k) {
        const Lane from = lanes[k];
        if (steps[from] != 0 && from != step.lane) {
            clocks_.Learn(ScalarOf(step.lane), from, steps[from]);
        }
    }
    steps[step.lane] = step.index;
}

bool CoreOrder::Barrier(const Instruction& i) {
    if (i.pipe == Pipe::All) {
        clocks_.BarrierAll();
    } else if (i.As<record::Barrier>() != nullptr) {
        clocks_.Barrier(hazard::LaneOf(i.pipe));
    } else {
        return false;
    }
    return true;
}

void CoreOrder::Flag(const record::Flag& flag) {
    const auto event = static_cast<uint32_t>(flag.event);
    const auto id = static_cast<uint32_t>(flag.id);
    if (flag.set) {
        clocks_.SetFlag(event, id, hazard::LaneOf(EventInfo(event).source));
    } else {
        clocks_.WaitFlag(event, id, hazard::LaneOf(EventInfo(event).destination));
    }
}

void CoreOrder::BeginCall(const Instruction& i) {
    if (i.As<record::Call>() != nullptr) {
        call_ = orders_.Of(i);
        if (call_.begins) {
            clocks_.Barrier(kV);
        }
    }
}

void CoreOrder::EndCall(const Instruction& i) {
    if (i.As<record::Call>() != nullptr && call_.ends) {
        clocks_.Barrier(kV);
    } else if (firstPart_ != 0) {
        clocks_.Learn(kV, kV, firstPart_);
    }
}

bool CoreOrder::OrderedWithoutFlag(const Access& a, const CurrentAccess& b) {
    if (OrderedByLibrary(a, b) || OrderedInsideCall(a, b)) {
        return true;
    }
    if (!OrderedByHardware(a, b) && !OrderedByCompiler(a, b)) {
        return false;
    }
    // `b` comes after `a`, so `b` also comes after everything that `a` came after.
    if (a.lane != b.access.lane) {
        clocks_.Learn(ScalarOf(b.access.lane), a.lane, a.index);
    }
    return true;
}

bool CoreOrder::OrderedByHardware(const Access& a, const CurrentAccess& b) const {
    if (a.lane == kS && ScalarOf(b.access.lane) == kS) {
        return true;
    }
    if (b.range.memory != Memory::L0c) {
        return false;
    }
    const bool flagged = traits_[a.site].unitFlag && traits_[b.access.site].unitFlag;
    return flagged || (a.lane == kM && b.access.lane == kM &&
                       b.range.runs.TotalBytes() >= kOrderedFractals * kFractalBytes);
}

/// Returns true if the toolkit's compiler orders the accesses (table in docs/hazards.md). The
/// compiler orders a scalar access only if the scalar unit accesses a tensor element.
bool CoreOrder::OrderedByCompiler(const Access& a, const CurrentAccess& b) const {
    if (!compilerOrders_) {
        return false;
    }
    const bool global = b.range.memory == Memory::Gm;
    const auto isElement = [&](uint32_t site) {
        return global ? traits_[site].globalElement : traits_[site].localElement;
    };
    const Lane from = a.lane;
    const Lane to = ScalarOf(b.access.lane);
    if (to == kS) {
        return (from == kV || from == kMte2 || from == kMte3) &&
               (b.range.runs.bytes == 0 || isElement(b.access.site));
    }
    if (from == kS) {
        return (to == kV || to == kMte2 || to == kMte3) && isElement(a.site);
    }
    return from == kV && to == kV;
}

bool CoreOrder::OrderedByLibrary(const Access& a, const CurrentAccess& b) const {
    if (b.instruction.call != Opcode::None && a.sequence >= b.instruction.callBegin) {
        return true;
    }
    return traits_[a.site].matmul && traits_[b.access.site].matmul;
}

/// Returns true if a library call orders its access `b` after the vector access `a`: the call made
/// both accesses, or the call has a barrier before its first use of the operand of `b`.
bool CoreOrder::OrderedInsideCall(const Access& a, const CurrentAccess& b) const {
    return b.instruction.As<record::Call>() != nullptr && a.lane == kV &&
           (a.sequence == b.access.sequence || call_.Late(b.range));
}

}  // namespace twin::hazard
