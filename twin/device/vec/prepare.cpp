// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cinttypes>

#include "device/vec/plan.h"

namespace twin::vec {
namespace {

/// Computes the mask bits of the first `count` elements.
void PrefixMask(uint64_t count, uint64_t* low, uint64_t* high) {
    *low = count >= 64 ? UINT64_MAX : (uint64_t{1} << count) - 1;
    *high = count >= 128 ? UINT64_MAX : (count > 64 ? (uint64_t{1} << (count - 64)) - 1 : 0);
}

/// Returns the number of repeats. `perRepeat` is a power of two: a shift is faster than a division.
uint32_t RepeatsOf(uint64_t elements, uint32_t perRepeat) {
    return static_cast<uint32_t>((elements + perRepeat - 1) >> __builtin_ctz(perRepeat));
}

void SetRegister(Issue& issue, const Extent& extent, uint32_t perRepeat) {
    Core& core = issue.core();
    const char* api = issue.api();
    issue.Reads(Register::Mask);
    if (extent.form != Extent::Form::MaskRegister) {
        issue.Writes(Register::Mask);
    }
    if (extent.form == Extent::Form::MaskCount) {
        if (core.mask.counter) {
            core.mask.low = extent.count;
            core.mask.high = 0;
            return;
        }
        if (extent.count > perRepeat && core.strict) {
            Fail("T403",
                 "mask out of range: %s with mask %" PRIu64
                 ", a repeat of this type has %u elements\n  try: more "
                 "repeats, or the form with an element count",
                 api, extent.count, perRepeat);
        }
        PrefixMask(std::min<uint64_t>(extent.count, perRepeat), &core.mask.low, &core.mask.high);
    } else if (extent.form == Extent::Form::MaskBits) {
        if (perRepeat <= 64 && extent.high != 0 && core.strict) {
            Fail("T403",
                 "mask out of range: %s with mask[1] = 0x%" PRIx64
                 ", expected 0: a repeat of this type has %u"
                 " elements",
                 api, extent.high, perRepeat);
        }
        core.mask.low = extent.low;
        core.mask.high = extent.high;
    }
}

/// Returns the number of bytes from the operand's start to the end of its highest active element.
uint64_t SpanOf(const VecOperand& operand, const Plan& plan) {
    if (operand.blockStride == 0) {  // the last element need not have the highest address
        uint64_t end = 0;
        operand([&](uint32_t, uint64_t begin, uint64_t bytes) {
            end = std::max(end, begin + bytes - operand.place.address);
        });
        return end;
    }
    const uint32_t bits = BitWidth(operand.dtype);
    uint64_t last = operand.OffsetOf(plan.repeats - 1, plan.lastElement);
    if (plan.lastCount != 0 && plan.repeats > 1) {
        // Counter mode: the last repeat may end early.
        last = std::max(operand.OffsetOf(plan.repeats - 1, plan.lastCount - 1),
                        operand.OffsetOf(plan.repeats - 2, plan.lastElement));
    }
    return last + (bits + 7) / 8;
}

/// Returns which memory the operand's repeats would access if all elements were active.
Runs FrameOf(const VecOperand& operand, const Plan& plan) {
    const uint64_t bits = BitWidth(operand.dtype);
    const uint64_t bytes = plan.perRepeat * bits / 8;
    Runs runs;
    runs.repeat = {plan.repeats, uint64_t{operand.repeatStride} * kBlockBytes};
    runs.bytes = std::min<uint64_t>(bytes, operand.PerBlock() * bits / 8);
    runs.block = {std::max<uint64_t>(bytes / runs.bytes, 1),
                  uint64_t{operand.blockStride} * kBlockBytes};
    return runs;
}

[[gnu::noinline]] void NoteRepeats(Issue& issue, VecOperand& operand, const Plan& plan,
                                   bool write) {
    const Runs frame = FrameOf(operand, plan);
    if (operand.perBlock == 0 && plan.Full()) {
        operand.start =
            issue.Access(operand.name, operand.place, Memory::Ub, frame, frame.Span(), write);
        return;
    }
    operand.plan = &plan;
    const uint64_t span = SpanOf(operand, plan);
    operand.start = issue.Access(operand.name, operand.place, Memory::Ub, frame, span, write);
    issue.Exactly(operand);
    issue.Last().Skip(operand.skip);
}

// NoteOne is inline because nearly every instruction uses it. NoteRepeats is not inline.
[[gnu::always_inline]] inline void NoteOne(Issue& issue, VecOperand& operand, const Plan& plan,
                                           bool write) {
    if (!plan.contiguous) {
        NoteRepeats(issue, operand, plan, write);
        return;
    }
    const uint64_t bits = BitWidth(operand.dtype);
    Runs runs;
    runs.bytes = (plan.elements * bits + 7) / 8;
    runs.pace = plan.perRepeat * bits / 8;
    operand.start = issue.Access(operand.name, operand.place, Memory::Ub, runs, runs.bytes, write);
}

bool IsContiguous(const VecOperand* operands, uint32_t operandCount, const Plan& plan) {
    uint64_t fullLow = 0;
    uint64_t fullHigh = 0;
    PrefixMask(plan.perRepeat, &fullLow, &fullHigh);
    if (plan.lastCount == 0 && (plan.low != fullLow || plan.high != fullHigh)) {
        return false;
    }
    for (uint32_t i = 0; i < operandCount; ++i) {
        const uint32_t blocks = plan.perRepeat * BitWidth(operands[i].dtype) / (kBlockBytes * 8);
        if (operands[i].perBlock != 0 || operands[i].blockStride != 1 ||
            (plan.repeats > 1 && operands[i].repeatStride != blocks)) {
            return false;
        }
    }
    return true;
}

}  // namespace

bool ResolveMask(Issue& issue, const Extent& extent, Plan* plan) {
    SetRegister(issue, extent, plan->perRepeat);
    const Core& core = issue.core();
    plan->repeats = extent.repeats;
    if (core.mask.counter) {
        // In counter mode the mask register contains the number of elements. This number gives the
        // repeats and the elements of the last repeat.
        plan->elements = core.mask.low;
        plan->repeats = RepeatsOf(plan->elements, plan->perRepeat);
        plan->lastCount = plan->elements == 0
                              ? 0
                              : static_cast<uint32_t>((plan->elements - 1) % plan->perRepeat + 1);
        PrefixMask(plan->perRepeat, &plan->low, &plan->high);
        return plan->elements != 0;
    }
    plan->low = core.mask.low;
    plan->high = plan->perRepeat > 64 ? core.mask.high : 0;
    if (plan->perRepeat < 64) {
        plan->low &= (uint64_t{1} << plan->perRepeat) - 1;
    }
    plan->elements = uint64_t{CountBits(plan->low) + CountBits(plan->high)} * plan->repeats;
    return plan->elements != 0;
}

uint32_t LastElement(const Plan& plan) {
    if (plan.lastCount != 0) {
        return plan.repeats > 1 ? plan.perRepeat - 1 : plan.lastCount - 1;
    }
    return plan.high != 0 ? 127 - static_cast<uint32_t>(__builtin_clzll(plan.high))
                          : 63 - static_cast<uint32_t>(__builtin_clzll(plan.low));
}

void VecOperand::operator()(const PieceVisitor& visit) const {
    const uint32_t bits = BitWidth(dtype);
    // A piece stays inside one block, whose elements are contiguous. Both int4b_t of a byte are
    // active, or none of them.
    const uint32_t step = std::min({PerBlock(), plan->perRepeat, uint32_t{64}});
    for (uint32_t repeat = 0; repeat < plan->repeats; ++repeat) {
        VisitStretches(*plan, repeat, step, [&](uint32_t first, uint32_t length) {
            visit(repeat, place.address + OffsetOf(repeat, first), (length * bits + 7) / 8);
        });
    }
}

bool Resolve(Issue& issue, VecOperand* operands, uint32_t operandCount, const Extent& extent,
             Plan* plan) {
    Core& core = issue.core();
    uint32_t widest = 1;
    for (uint32_t i = 0; i < operandCount; ++i) {
        widest = std::max(widest, BitWidth(operands[i].dtype));
    }
    plan->perRepeat = kRepeatBytes * 8 >> __builtin_ctz(widest);
    if (extent.form == Extent::Form::Count) {
        if (extent.count > core.soc->ubBytes) {
            Fail("T402",
                 "count out of range: %s of %" PRId64 " elements, the unified buffer has %" PRIu64
                 " B",
                 issue.api(), static_cast<int64_t>(extent.count), core.soc->ubBytes);
        }
        // The library runs calls with a count in counter mode and leaves a full mask.
        core.mask = MaskState();
        issue.Writes(Register::Mask);
        plan->contiguous = true;
        plan->elements = extent.count;
        plan->repeats = RepeatsOf(extent.count, plan->perRepeat);
        if (extent.count == 0) {
            return false;
        }
    } else {
        if (!ResolveMask(issue, extent, plan)) {
            return false;
        }
        plan->contiguous = IsContiguous(operands, operandCount, *plan);
        plan->lastElement = LastElement(*plan);
    }
    issue.Processes(*plan);
    issue.Type(operands[0].dtype);
    issue.Work(plan->repeats, plan->elements);
    const bool moves = issue.opcode() == Opcode::Copy || issue.opcode() == Opcode::Select;
    for (uint32_t i = 0; i < operandCount; ++i) {
        NoteOne(issue, operands[i], *plan, operands[i].write);
        issue.As(operands[i].dtype);
        if (!operands[i].write && !moves) {
            issue.core().ComputesWith(operands[i].dtype);
        }
        if (operands[i].accumulates) {
            NoteOne(issue, operands[i], *plan, false);
            issue.As(operands[i].dtype);
        }
    }
    return true;
}

bool Prepare(Issue& issue, VecOperand* operands, uint32_t operandCount, const Extent& extent,
             Plan* plan) {
    if (!Resolve(issue, operands, operandCount, extent, plan)) {
        return false;
    }
    issue.Ready();
    plan->staged = issue.Mixed();
    return true;
}

uint64_t ElementSpan(const Plan& plan) {
    if (plan.contiguous) {
        return plan.elements;
    }
    const uint32_t last = plan.lastCount != 0 ? plan.lastCount : plan.lastElement + 1;
    return static_cast<uint64_t>(plan.repeats - 1) * plan.perRepeat + last;
}

}  // namespace twin::vec
