// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>
#include <vector>

#include "device/gather/gather.h"
#include "device/issue/issue.h"
#include "device/lanes/shuffle.h"

namespace twin::gather {
namespace {

/// Layout of the source: each repeat has `blocks` runs of `length` contiguous elements.
struct ElementRuns {
    uint64_t repeats = 0;
    uint64_t blocks = 1;     ///< number of runs in a repeat
    uint64_t length = 0;     ///< number of elements in a run; the last one may be shorter
    uint64_t elements = 0;   ///< number of elements in a repeat
    uint64_t blockStep = 0;  ///< distance from run to run in bytes
    uint64_t repeatStep = 0;
    uint64_t bitStep = 0;  ///< distance of the mask bits of two repeats, in bytes

    uint64_t Span(uint32_t size) const {
        const uint64_t last = elements - (blocks - 1) * length;
        return (repeats - 1) * repeatStep + (blocks - 1) * blockStep + last * size;
    }
    uint64_t BitSpan() const { return (repeats - 1) * bitStep + (elements + 7) / 8; }

    /// Calls run(byte offset in the source, byte offset in the bits, elements, repeat) per run.
    template <typename Run>
    void ForEach(Run run) const {
        for (uint64_t repeat = 0; repeat < repeats; ++repeat) {
            for (uint64_t block = 0; block < blocks; ++block) {
                run(repeat * repeatStep + block * blockStep, repeat * bitStep + block * length / 8,
                    std::min<uint64_t>(length, elements - block * length), repeat);
            }
        }
    }
    /// Like ForEach, but splits runs that are longer than 256 B, as the vector unit does.
    template <typename Run>
    void ForEachRepeat(uint32_t size, Run run) const {
        const uint64_t most = kRepeatBytes / size;
        const uint64_t steps = (length + most - 1) / most;
        ForEach([&](uint64_t offset, uint64_t bits, uint64_t count, uint64_t repeat) {
            for (uint64_t done = 0; done < count; done += most) {
                run(offset + done * size, bits + done / 8, std::min(most, count - done),
                    static_cast<uint32_t>(repeat * steps + done / most));
            }
        });
    }
};

ElementRuns Layout(uint32_t size, bool counted, uint32_t mask,
                   const AscendC::GatherMaskParams& params, bool builtIn) {
    ElementRuns runs;
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
        // A built-in pattern has a period of 1, 2 or 4, so contiguous repeats form one long run.
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

/// Returns which elements a built-in pattern keeps: every second (1, 2) or fourth (3 to 6), or all.
Step StepOf(uint8_t pattern) {
    if (pattern == 7) {
        return {0, 1};
    }
    return pattern <= 2 ? Step{pattern - 1U, 2} : Step{pattern - 3U, 4};
}

/// One GatherMask: the host addresses of its sources, and the functions that pack its elements.
struct Packing {
    const ElementRuns& runs;
    const uint8_t* from;
    const uint8_t* bits;  ///< mask bits; null: the pattern is built in
    Step step;
    uint32_t size;

    uint64_t Kept(uint64_t bitOffset, uint64_t count) const {
        if (bits != nullptr) {
            return lanes::BestGather().countBits(bits + bitOffset, count);
        }
        return count > step.first ? (count - step.first + step.step - 1) / step.step : 0;
    }
    uint64_t KeptOfAll() const {
        uint64_t kept = 0;
        runs.ForEach([&](uint64_t, uint64_t bitOffset, uint64_t count, uint64_t) {
            kept += Kept(bitOffset, count);
        });
        return kept;
    }
    void Pack(uint8_t* to) const {
        const lanes::GatherTable& table = lanes::BestGather();
        const auto pack = size == 2 ? table.pack16 : table.pack32;
        const auto pick = size == 2 ? table.pick16 : table.pick32;
        runs.ForEach([&](uint64_t offset, uint64_t bitOffset, uint64_t count, uint64_t) {
            const size_t kept = bits != nullptr
                                    ? pack(to, from + offset, bits + bitOffset, count)
                                    : pick(to, from + offset, step.first, step.step, count);
            to += kept * size;
        });
    }
    /// Packs from a copy of the source, because the destination overlaps the source.
    void PackStaged(uint8_t* to) const {
        const std::vector<uint8_t> source(from, from + runs.Span(size));
        Packing staged = *this;
        staged.from = source.data();
        staged.Pack(to);
    }
    /// Returns how many elements are kept before the first invalid bit of the mask, and the mark of
    /// this bit; the mark is 0 if no bit is invalid.
    std::pair<uint64_t, uint8_t> Valid(const ByteMarks& marks, const uint8_t* pattern) const {
        uint64_t kept = 0;
        uint8_t mark = 0;
        runs.ForEach([&](uint64_t, uint64_t bitOffset, uint64_t count, uint64_t) {
            for (uint64_t i = 0; i < count && mark == 0; ++i) {
                const uint8_t* const byte = pattern + bitOffset + i / 8;
                const uint8_t invalid = marks.InvalidBits(Memory::Ub, byte);
                mark = (invalid >> i % 8 & 1U) != 0 ? *marks.Of(Memory::Ub, byte) : uint8_t{0};
                kept += mark == 0 ? bits[bitOffset + i / 8] >> i % 8 & 1U : 0;
            }
        });
        return {kept, mark};
    }
    /// Moves marks from the source to `to`. All results after an invalid bit of the mask are
    /// invalid, because their positions depend on this bit.
    void Mark(const ByteMarks& marks, const uint8_t* pattern, uint8_t* to) const {
        Packing moved = *this;
        moved.from = marks.Of(Memory::Ub, from);
        uint8_t* const results = marks.Of(Memory::Ub, to);
        const uint64_t all = KeptOfAll();
        const auto valid =
            pattern == nullptr ? std::make_pair(all, uint8_t{0}) : Valid(marks, pattern);
        moved.PackStaged(results);
        if (valid.second != 0) {
            std::fill(results + valid.first * size, results + all * size, valid.second);
        }
    }
};

uint64_t Execute(Issue& issue, Dtype dtype, const Operand& dst, const Operand& src,
                 const ElementRuns& runs, const Pattern& pattern, uint32_t repeats) {
    const uint32_t size = SizeOf(dtype);
    const uint64_t elements = runs.repeats * runs.elements;
    issue.Type(dtype);
    issue.Work(repeats, elements);
    issue.Reads(Register::Mask);
    issue.Writes(Register::GatherKept);
    const auto sourcePieces = [&](const PieceVisitor& visit) {
        runs.ForEachRepeat(size, [&](uint64_t offset, uint64_t, uint64_t count, uint32_t repeat) {
            visit(repeat, src.address + offset, count * size);
        });
    };
    const auto bitPieces = [&](const PieceVisitor& visit) {
        runs.ForEachRepeat(size, [&](uint64_t, uint64_t bits, uint64_t count, uint32_t repeat) {
            visit(repeat, pattern.bits->address + bits, (count + 7) / 8);
        });
    };
    Packing packing = {runs, nullptr, nullptr, StepOf(pattern.builtIn), size};
    const uint64_t span = runs.Span(size);
    packing.from = issue.Read(Arg::Src0, src, Memory::Ub, Runs{span}, span, sourcePieces);
    if (pattern.bits != nullptr) {
        packing.bits = issue.Read(Arg::Src1Pattern, *pattern.bits, Memory::Ub, Runs{runs.BitSpan()},
                                  runs.BitSpan(), bitPieces);
    }
    const auto dstPieces = [&](const PieceVisitor& visit) {
        uint64_t at = dst.address;
        runs.ForEachRepeat(size, [&](uint64_t, uint64_t bits, uint64_t count, uint32_t repeat) {
            const uint64_t bytes = packing.Kept(bits, count) * size;
            visit(repeat, at, bytes);
            at += bytes;
        });
    };
    const uint64_t kept = packing.KeptOfAll();
    uint8_t* to = issue.Write(Arg::Dst, dst, Memory::Ub, Runs{kept * size}, kept * size, dstPieces);
    issue.Ready();
    const uint8_t* const given = packing.bits;
    std::vector<uint8_t> copy;
    if (issue.Mixed() && given != nullptr) {  // the results may overwrite the pattern
        copy.assign(given, given + runs.BitSpan());
        packing.bits = copy.data();
    }
    issue.Mixed() ? packing.PackStaged(to) : packing.Pack(to);
    const auto follow = [&](ByteMarks& marks) { packing.Mark(marks, given, to); };
    issue.Follow(follow);
    issue.Done();
    return kept;
}

}  // namespace

uint64_t RunGatherMask(Dtype dtype, const Operand& dst, const Operand& src, const Pattern& pattern,
                       bool counted, uint32_t mask, const AscendC::GatherMaskParams& params,
                       Location where) {
    Issue issue(Opcode::GatherMask, CoreKind::Aiv, where);
    if (!issue) {
        return 0;
    }
    Core& core = issue.core();
    if (pattern.bits == nullptr && (pattern.builtIn < 1 || pattern.builtIn > 7)) {
        Fail(
            "T425",
            "pattern out of range: GatherMask with src1Pattern %u, expected 1 (even elements) to 7 "
            "(all), or a tensor of bits",
            pattern.builtIn);
    }
    const ElementRuns runs = Layout(SizeOf(dtype), counted, mask, params, pattern.bits == nullptr);
    core.gatherKept = runs.repeats == 0 || runs.elements == 0
                          ? 0
                          : Execute(issue, dtype, dst, src, runs, pattern, params.repeatTimes);
    core.mask.counter = false;  // like in the library, GatherMask changes the mask register
    core.mask.low = mask;
    core.mask.high = 0;
    return core.gatherKept;
}

}  // namespace twin::gather
