// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cinttypes>

#include "device/gather/engine.h"
#include "device/lanes/gather.h"

namespace twin::gather {
namespace {

constexpr const char* kApi = "GatherMask";

/// A checked instruction: `runs` stretches of `length` contiguous elements.
struct Runs {
    uint64_t repeats = 0;
    uint64_t blocks = 1;     ///< runs per repeat
    uint64_t length = 0;     ///< elements of a run; the last of a repeat may be shorter
    uint64_t elements = 0;   ///< per repeat
    uint64_t blockStep = 0;  ///< bytes from run to run
    uint64_t repeatStep = 0;
    uint64_t bitStep = 0;  ///< bytes of mask bits from repeat to repeat

    uint64_t Span(uint32_t size) const {
        const uint64_t last = elements - (blocks - 1) * length;
        return (repeats - 1) * repeatStep + (blocks - 1) * blockStep + last * size;
    }
    uint64_t BitSpan() const { return (repeats - 1) * bitStep + (elements + 7) / 8; }

    /// Calls run(byte offset in the source, byte offset in the bits, elements).
    template <typename Run>
    void ForEach(Run run) const {
        for (uint64_t repeat = 0; repeat < repeats; ++repeat) {
            for (uint64_t block = 0; block < blocks; ++block) {
                run(repeat * repeatStep + block * blockStep, repeat * bitStep + block * length / 8,
                    std::min<uint64_t>(length, elements - block * length));
            }
        }
    }
};

Runs Layout(uint32_t size, bool counted, uint32_t mask, const AscendC::GatherMaskParams& params,
            bool builtIn) {
    Runs runs;
    runs.repeats = params.repeatTimes;
    runs.elements = counted ? mask : kRepeatBytes / size;
    runs.repeatStep = uint64_t{params.src0RepeatStride} * kBlockBytes;
    runs.bitStep = uint64_t{params.src1RepeatStride} * kBlockBytes;
    runs.length = runs.elements;
    if (params.src0BlockStride != 1) {
        runs.length = kBlockBytes / size;
        runs.blocks = (runs.elements + runs.length - 1) / runs.length;
        runs.blockStep = uint64_t{params.src0BlockStride} * kBlockBytes;
    } else if (builtIn && runs.elements % 4 == 0 && runs.repeatStep == runs.elements * size) {
        // Repeats behind one another, each starting where the pattern does: one long run.
        runs.elements *= runs.repeats;
        runs.length = runs.elements;
        runs.repeats = runs.repeats == 0 ? 0 : 1;
    }
    return runs;
}

struct Step {
    size_t first;
    size_t step;
};

/// Patterns 1 and 2 take every second element, 3 to 6 every fourth, 7 all.
Step StepOf(uint8_t pattern) {
    if (pattern == 7) {
        return {0, 1};
    }
    return pattern <= 2 ? Step{pattern - 1U, 2} : Step{pattern - 3U, 4};
}

uint64_t Kept(const Core& core, const Runs& runs, const Pattern& pattern) {
    uint64_t kept = 0;
    const Step step = StepOf(pattern.builtIn);
    runs.ForEach([&](uint64_t, uint64_t bits, uint64_t count) {
        if (pattern.bits != nullptr) {
            kept += lanes::BestGather().countBits(core.ub + pattern.bits->address + bits, count);
        } else if (count > step.first) {
            kept += (count - step.first + step.step - 1) / step.step;
        }
    });
    return kept;
}

void RecordGatherMask(Core& core, Dtype dtype, const Operand& dst, uint64_t dstBytes,
                      const Operand& src, const Runs& runs, const Pattern& pattern) {
    Instruction instruction;
    instruction.pipe = Pipe::V;
    instruction.opcode = kApi;
    instruction.dtype = dtype;
    instruction.elements = runs.repeats * runs.elements;
    instruction.repeats = static_cast<uint32_t>(
        (instruction.elements * SizeOf(dtype) + kRepeatBytes - 1) / kRepeatBytes);
    instruction.Add(core.Local(Memory::Ub, dst.address, dstBytes, true));
    instruction.Add(core.Local(Memory::Ub, src.address, runs.Span(SizeOf(dtype)), false));
    if (pattern.bits != nullptr) {
        instruction.Add(core.Local(Memory::Ub, pattern.bits->address, runs.BitSpan(), false));
    }
    core.Record(instruction);
}

void Pack(Core& core, uint32_t size, const Operand& dst, const Operand& src, const Runs& runs,
          const Pattern& pattern) {
    const lanes::GatherTable& table = lanes::BestGather();
    const auto pack = size == 2 ? table.pack16 : table.pack32;
    const auto pick = size == 2 ? table.pick16 : table.pick32;
    const Step step = StepOf(pattern.builtIn);
    uint8_t* to = core.ub + dst.address;
    runs.ForEach([&](uint64_t offset, uint64_t bits, uint64_t count) {
        const uint8_t* from = core.ub + src.address + offset;
        const size_t kept = pattern.bits != nullptr
                                ? pack(to, from, core.ub + pattern.bits->address + bits, count)
                                : pick(to, from, step.first, step.step, count);
        to += kept * size;
    });
}

uint64_t Execute(Core& core, Dtype dtype, const Operand& dst, const Operand& src, const Runs& runs,
                 const Pattern& pattern) {
    const uint32_t size = SizeOf(dtype);
    const uint64_t span = runs.Span(size);
    CheckOperand(core, src, span, kBlockBytes, kApi, "src0");
    if (pattern.bits != nullptr) {
        CheckOperand(core, *pattern.bits, runs.BitSpan(), kBlockBytes, kApi, "src1Pattern");
    }
    const uint64_t kept = Kept(core, runs, pattern);
    CheckOperand(core, dst, kept * size, kBlockBytes, kApi, "dst");
    if (core.strict && kept != 0) {
        if (dst.address != src.address) {
            RequireApart(kApi, "src0", dst.address, kept * size, src.address, span);
        }
        if (pattern.bits != nullptr) {
            RequireApart(kApi, "src1Pattern", dst.address, kept * size, pattern.bits->address,
                         runs.BitSpan());
        }
    }
    if (core.Recording()) {
        RecordGatherMask(core, dtype, dst, kept * size, src, runs, pattern);
    }
    Pack(core, size, dst, src, runs, pattern);
    return kept;
}

}  // namespace

uint64_t RunGatherMask(Dtype dtype, const Operand& dst, const Operand& src, const Pattern& pattern,
                       bool counted, uint32_t mask, const AscendC::GatherMaskParams& params,
                       Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aiv, where)) {
        return 0;
    }
    if (pattern.bits == nullptr && (pattern.builtIn < 1 || pattern.builtIn > 7)) {
        Fail(
            "T425",
            "pattern out of range: GatherMask with src1Pattern %u, expected 1 (even elements) to 7 "
            "(all), or a tensor of bits",
            pattern.builtIn);
    }
    const Runs runs = Layout(SizeOf(dtype), counted, mask, params, pattern.bits == nullptr);
    core.gatherKept =
        runs.repeats == 0 || runs.elements == 0 ? 0 : Execute(core, dtype, dst, src, runs, pattern);
    core.mask.counter = false;  // what the library leaves behind
    core.mask.low = mask;
    core.mask.high = 0;
    return core.gatherKept;
}

}  // namespace twin::gather
