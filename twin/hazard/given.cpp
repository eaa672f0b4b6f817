// SPDX-License-Identifier: Apache-2.0
// Order that no flag of the kernel stands for: what the hardware keeps, what the toolkit's compiler
// puts in on vector cores, and what the library does inside its calls.
#include "core/library_calls.h"
#include "hazard/core_checker.h"

namespace twin::hazard {
namespace {

constexpr uint64_t kFractalBytes = 1024;  // of L0C
// The cube unit keeps dependent products in order that take at least so many fractals.
constexpr uint64_t kOrderedFractals = 10;

/// A scalar access that the compiler sees: to an element of a tensor, not through a pointer.
bool ByTensor(Opcode opcode, bool global) {
    return opcode == Opcode::GetValue || opcode == Opcode::ElementReference ||
           (opcode == Opcode::SetValue && !global);
}

}  // namespace

bool CoreChecker::GivenByHardware(const Access& before, const ByteRange& range) const {
    if (before.lane == kS && (now_.lane == kS || now_.lane == kScalarRead)) {
        return true;
    }
    const bool flagged = sites[before.site].unitFlag && sites[now_.site].unitFlag;
    if (range.memory != Memory::L0c) {
        return false;
    }
    if (before.lane == kM && now_.lane == kM) {
        return flagged || range.runs.TotalBytes() >= kOrderedFractals * kFractalBytes;
    }
    return flagged;
}

/// The table in "what is given" of docs/hazards.md. Of the scalar unit only accesses to elements of
/// tensors count.
bool CoreChecker::GivenByCompiler(const Access& before, const ByteRange& range) const {
    if (level_ != Hazards::AutoSync || instruction_->core != CoreKind::Aiv) {
        return false;
    }
    const bool global = range.memory == Memory::Gm;
    const Lane from = before.lane;
    const Lane to = now_.lane == kScalarRead ? kS : now_.lane;
    if (to == kS) {
        return (from == kV || from == kMte2 || from == kMte3) &&
               (range.runs.bytes == 0 || ByTensor(instruction_->opcode, global));
    }
    if (from == kS) {
        return (to == kV || to == kMte2 || to == kMte3) &&
               ByTensor(sites[before.site].opcode, global);
    }
    return from == kV && to == kV;
}

bool CoreChecker::GivenByLibrary(const Access& before) const {
    if (instruction_->call != Opcode::None && before.sequence >= instruction_->callBegin) {
        return true;
    }
    return sites[before.site].matmul && sites[now_.site].matmul;
}

/// A call that does not begin with a barrier may have one before it comes to this operand.
bool CoreChecker::GivenInside(const Access& before, const ByteRange& range) const {
    const auto* const call = instruction_->As<record::Call>();
    return call != nullptr && before.lane == kV &&
           FindLibraryCall(instruction_->opcode)
               .Late(range.operand, instruction_->dtype.Value(), call->shape->form);
}

bool CoreChecker::Given(const Access& before, const ByteRange& range) {
    if (GivenByLibrary(before) || GivenInside(before, range)) {
        return true;
    }
    if (!GivenByHardware(before, range) && !GivenByCompiler(before, range)) {
        return false;
    }
    // Whoever waits for it knows what it has waited for.
    if (before.lane != now_.lane) {
        clocks_.Learn(now_.lane == kScalarRead ? kS : now_.lane, before.lane, before.index);
    }
    return true;
}

}  // namespace twin::hazard
