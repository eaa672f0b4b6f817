// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cinttypes>

#include "device/vec/walk.h"

namespace twin::vec {
namespace {

/// Mask bits of the first `count` elements.
void PrefixMask(uint64_t count, uint64_t* low, uint64_t* high) {
    *low = count >= 64 ? UINT64_MAX : (uint64_t{1} << count) - 1;
    *high = count >= 128 ? UINT64_MAX : (count > 64 ? (uint64_t{1} << (count - 64)) - 1 : 0);
}

void SetRegister(Core& core, const char* api, const Extent& extent, uint32_t perRepeat) {
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

/// Bytes from the operand's start to its last active element's end.
uint64_t SpanOf(const VecOperand& operand, const Plan& plan) {
    const uint32_t bits = BitWidth(operand.dtype);
    if (plan.contiguous) {
        return (plan.elements * bits + 7) / 8;
    }
    uint64_t last = AddressOf(operand, plan.repeats - 1, plan.lastElement);
    if (plan.lastCount != 0 && plan.repeats > 1) {
        // Counter mode: the last repeat may end early.
        last = std::max(AddressOf(operand, plan.repeats - 1, plan.lastCount - 1),
                        AddressOf(operand, plan.repeats - 2, plan.lastElement));
    }
    return last - operand.place.address + (bits + 7) / 8;
}

void CheckOverlap(const char* api, const VecOperand& dst, uint64_t dstBytes, const VecOperand& src,
                  uint64_t srcBytes) {
    const uint64_t d = dst.place.address;
    const uint64_t s = src.place.address;
    const bool disjoint = d + dstBytes <= s || s + srcBytes <= d;
    if (disjoint || (d == s && BitWidth(dst.dtype) <= BitWidth(src.dtype))) {
        return;
    }
    Fail("T405",
         "operands overlap: %s writes %s at UB+0x%" PRIx64 " (%" PRIu64
         " B) over its source %s at UB+0x%" PRIx64 " (%" PRIu64
         " B), which is neither the same place nor apart\n  try: separate buffers, or exactly in "
         "place",
         api, dst.name, d, dstBytes, src.name, s, srcBytes);
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

bool ResolveMask(Core& core, const char* api, const Extent& extent, Plan* plan) {
    SetRegister(core, api, extent, plan->perRepeat);
    plan->repeats = extent.repeats;
    if (core.mask.counter) {
        // Counter mode: the register holds the number of elements, repeats and tail follow from it.
        plan->elements = core.mask.low;
        plan->repeats =
            static_cast<uint32_t>((plan->elements + plan->perRepeat - 1) / plan->perRepeat);
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
    const auto active =
        static_cast<uint64_t>(__builtin_popcountll(plan->low) + __builtin_popcountll(plan->high));
    plan->elements = active * plan->repeats;
    return plan->elements != 0;
}

uint32_t LastElement(const Plan& plan) {
    if (plan.lastCount != 0) {
        return plan.repeats > 1 ? plan.perRepeat - 1 : plan.lastCount - 1;
    }
    return plan.high != 0 ? 127 - static_cast<uint32_t>(__builtin_clzll(plan.high))
                          : 63 - static_cast<uint32_t>(__builtin_clzll(plan.low));
}

bool Resolve(Core& core, const char* api, const VecOperand* operands, uint32_t operandCount,
             const Extent& extent, Plan* plan) {
    uint32_t widest = 1;
    for (uint32_t i = 0; i < operandCount; ++i) {
        widest = std::max(widest, BitWidth(operands[i].dtype));
    }
    plan->perRepeat = kRepeatBytes * 8 / widest;
    if (extent.form == Extent::Form::Count) {
        if (extent.count > core.soc->ubBytes) {
            Fail("T402",
                 "count out of range: %s of %" PRId64 " elements, the unified buffer has %" PRIu64
                 " B",
                 api, static_cast<int64_t>(extent.count), core.soc->ubBytes);
        }
        // The library's count forms run in counter mode and leave a full mask behind.
        core.mask = MaskState();
        plan->contiguous = true;
        plan->elements = extent.count;
        if (extent.count == 0) {
            return false;
        }
    } else {
        if (!ResolveMask(core, api, extent, plan)) {
            return false;
        }
        plan->contiguous = IsContiguous(operands, operandCount, *plan);
        plan->lastElement = LastElement(*plan);
    }
    uint64_t spans[kMaxOperands] = {};
    for (uint32_t i = 0; i < operandCount; ++i) {
        spans[i] = SpanOf(operands[i], *plan);
        CheckOperand(core, operands[i].place, spans[i], kBlockBytes, api, operands[i].name);
    }
    if (core.strict && plan->contiguous && operands[0].write) {
        for (uint32_t i = 1; i < operandCount; ++i) {
            CheckOverlap(api, operands[0], spans[0], operands[i], spans[i]);
        }
    }
    return true;
}

Instruction Describe(const Core& core, const char* api, const VecOperand* operands,
                     uint32_t operandCount, const Plan& plan) {
    Instruction instruction;
    instruction.pipe = Pipe::V;
    instruction.opcode = api;
    instruction.dtype = operands[0].dtype;
    instruction.elements = plan.elements;
    instruction.repeats =
        plan.contiguous
            ? static_cast<uint32_t>((plan.elements + plan.perRepeat - 1) / plan.perRepeat)
            : plan.repeats;
    for (uint32_t i = 0; i < operandCount; ++i) {
        const VecOperand& operand = operands[i];
        ByteRange range =
            core.Local(Memory::Ub, operand.place.address, SpanOf(operand, plan), operand.write);
        if (!plan.contiguous && plan.repeats > 1 && operand.repeatStride != 0) {
            Plan one = plan;
            one.repeats = 1;
            range.bytes = SpanOf(operand, one);
            range.count = plan.repeats;
            range.stride = static_cast<uint64_t>(operand.repeatStride) * kBlockBytes;
        }
        instruction.Add(range);
    }
    return instruction;
}

uint64_t ElementSpan(const Plan& plan) {
    if (plan.contiguous) {
        return plan.elements;
    }
    const uint32_t last = plan.lastCount != 0 ? plan.lastCount : plan.lastElement + 1;
    return static_cast<uint64_t>(plan.repeats - 1) * plan.perRepeat + last;
}

bool Prepare(Core& core, const char* api, const VecOperand* operands, uint32_t operandCount,
             const Extent& extent, Plan* plan) {
    if (!Resolve(core, api, operands, operandCount, extent, plan)) {
        return false;
    }
    if (core.Recording()) {
        Instruction instruction = Describe(core, api, operands, operandCount, *plan);
        core.Record(instruction);
    }
    return true;
}

}  // namespace twin::vec
