// SPDX-License-Identifier: Apache-2.0
#include "device/gather/gather.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <vector>

#include "core/memory_map.h"
#include "device/issue/operand.h"
#include "device/lanes/reduce.h"
#include "device/lanes/shuffle.h"
#include "device/vec/walk.h"

namespace twin::gather {
namespace {

constexpr uint32_t kBlocks = kRepeatBytes / kBlockBytes;

/// The range of UB addresses that a gather reads.
struct Reach {
    uint64_t first = UINT64_MAX;
    uint64_t last = 0;  ///< address after the last byte
};

[[noreturn]] void RefuseOffset(const Core& core, const char* api, const Operand& src, uint32_t base,
                               uint32_t offset, uint64_t index, uint32_t bytes, uint32_t align) {
    const uint64_t address = uint64_t{src.address} + base + offset;
    if (address % align != 0) {
        Fail("T104",
             "misaligned offset: %s reads at UB+0x%" PRIx64
             " (src at UB+0x%x, base %u, offset[%" PRIu64
             "] = %u), which is no multiple of %u B\n  try: offsets count bytes, not elements",
             api, address, src.address, base, index, offset, align);
    }
    if (address + bytes > core.UbBytes()) {
        Fail("T424",
             "offset outside the unified buffer: %s reads %u B at UB+0x%" PRIx64
             " (src at UB+0x%x, base %u, offset[%" PRIu64 "] = %u), which has %" PRIu64
             " B\n  try: check the offsets; elements outside the mask need none",
             api, bytes, address, src.address, base, index, offset, core.UbBytes());
    }
    Fail(
        "T107",
        "tensor too small: %s reads %u B at byte %" PRIu64 " of src (base %u, offset[%" PRIu64
        "] = %u), which has %u B%s\n  try: check the offsets; they count bytes, not elements",
        api, bytes, uint64_t{base} + offset, base, index, offset, src.bytes,
        DrawAccess(core, Memory::Ub, src.address, uint64_t{base} + offset + bytes, src.bytes).text);
}

/// Refuses illegal offsets among `count` offsets from `at` on; extends `reach` to their addresses.
void Inspect(const Core& core, const char* api, const Operand& src, const uint32_t* offsets,
             uint64_t at, uint64_t count, uint32_t base, uint32_t bytes, uint32_t align,
             Reach* reach) {
    const lanes::OffsetFacts facts = lanes::BestGather().inspect(offsets + at, count);
    const uint64_t start = uint64_t{src.address} + base;
    const uint64_t limit =
        core.strict ? std::min<uint64_t>(core.UbBytes(), uint64_t{src.address} + src.bytes)
                    : core.UbBytes();
    reach->first = std::min<uint64_t>(reach->first, start + facts.smallest);
    reach->last = std::max<uint64_t>(reach->last, start + facts.largest + bytes);
    const bool aligned = start % align == 0 ? facts.anyBits % align == 0 : false;
    if (aligned && start + facts.largest + bytes <= limit) {
        return;
    }
    for (uint64_t i = at; i < at + count; ++i) {
        const uint64_t address = start + offsets[i];
        if (address % align != 0 || address + bytes > limit) {
            RefuseOffset(core, api, src, base, offsets[i], i, bytes, align);
        }
    }
}

/// Lists the elements or blocks that a gather reads: `bytes` bytes at each offset.
struct Picks {
    uint64_t base;  ///< UB address to which the offsets are added
    const uint32_t* offsets;
    uint64_t count;
    uint32_t bytes;
    uint32_t perRepeat;
    const vec::VecOperand* active;  ///< operand with the active elements; null: all are active

    void operator()(const PieceVisitor& visit) const {
        const auto pick = [&](uint64_t from, uint64_t n) {
            for (uint64_t i = from; i < from + n; ++i) {
                visit(static_cast<uint32_t>(i / perRepeat), base + offsets[i], bytes);
            }
        };
        if (active == nullptr) {
            pick(0, count);
        } else {
            vec::WalkAt(active, 1, *active->plan,
                        [&](uint8_t* const*, uint64_t n, uint64_t at) { pick(at, n); });
        }
    }
};

/// The offsets of a gather. Makes a copy of them if the results may overwrite the offsets.
class OffsetCopy {
public:
    OffsetCopy(const Issue& issue, const uint32_t* offsets, uint64_t count) : offsets_(offsets) {
        if (issue.InPlace() && issue.core().recording) {
            copy_.assign(offsets, offsets + count);
            offsets_ = copy_.data();
        }
    }
    uint32_t operator[](uint64_t index) const { return offsets_[index]; }

private:
    const uint32_t* offsets_;
    std::vector<uint32_t> copy_;
};

/// Moves the marks (ByteMarks) of the elements that a gather copies to its destination `dst`.
void MoveMarks(const ByteMarks& marks, const vec::VecOperand* dst, const vec::Plan& plan,
               const uint8_t* from, const OffsetCopy& offsets) {
    const uint64_t size = SizeOf(dst->dtype);
    const uint8_t* const source = marks.Of(Memory::Ub, from);
    std::vector<uint8_t> moved;
    vec::WalkAt(dst, 1, plan, [&](uint8_t* const*, uint64_t n, uint64_t at) {
        for (uint64_t i = at; i < at + n; ++i) {
            moved.insert(moved.end(), source + offsets[i], source + offsets[i] + size);
        }
    });
    const uint8_t* next = moved.data();
    vec::WalkAt(dst, 1, plan, [&](uint8_t* const* p, uint64_t n, uint64_t) {
        std::memcpy(marks.Of(Memory::Ub, p[0]), next, n * size);
        next += n * size;
    });
}

/// Returns the byte range of the offset list; each repeat reads its own part of the list.
Runs OffsetRuns(uint64_t count, uint32_t perRepeat) {
    Runs runs;
    runs.bytes = count * sizeof(uint32_t);
    runs.pace = perRepeat * sizeof(uint32_t);
    return runs;
}

void GatherMasked(Issue& issue, Dtype dtype, const Operand& dst, const Operand& src,
                  const Operand& offsets, uint32_t base, const vec::Extent& extent,
                  uint32_t repeatStride) {
    const Core& core = issue.core();
    vec::VecOperand operands[] = {{Arg::Dst, dst, dtype, 1, repeatStride, true}};
    vec::Plan plan;
    if (!vec::Resolve(issue, operands, 1, extent, &plan)) {
        return;
    }
    operands[0].plan = &plan;
    vec::VecOperand table = {Arg::SrcOffset, offsets, Dtype::U32};
    table.repeatStride = plan.perRepeat / table.PerBlock();
    table.plan = &plan;
    const Runs frame = OffsetRuns(vec::ElementSpan(plan), plan.perRepeat);
    const auto* list = reinterpret_cast<const uint32_t*>(
        issue.Read(Arg::SrcOffset, offsets, Memory::Ub, frame, frame.Span(), table));
    issue.As(Dtype::U32);
    RequireMemory(src, Memory::Ub, issue.api(), "src");
    const uint32_t size = SizeOf(dtype);
    Reach reach;
    vec::WalkAt(operands, 1, plan, [&](uint8_t* const*, uint64_t n, uint64_t at) {
        Inspect(core, issue.api(), src, list, at, n, base, size, size, &reach);
    });
    const Picks picks = {uint64_t{src.address} + base, list, 0, size, plan.perRepeat, operands};
    issue.Note(Arg::Src, Memory::Ub, reach.first, reach.last - reach.first, picks, false);
    issue.Ready();
    const auto function = size == 2 ? lanes::BestGather().gather16 : lanes::BestGather().gather32;
    const uint8_t* from = core.memory[static_cast<size_t>(Memory::Ub)] + src.address + base;
    const OffsetCopy given(issue, list, vec::ElementSpan(plan));
    const auto follow = [&](const ByteMarks& marks) {
        MoveMarks(marks, operands, plan, from, given);
    };
    issue.Follow(follow);
    if (!issue.InPlace()) {
        vec::WalkAt(operands, 1, plan, [&](uint8_t* const* p, uint64_t n, uint64_t at) {
            function(p[0], from, list + at, n);
        });
        issue.Done();
        return;
    }
    for (uint32_t repeat = 0; repeat < plan.repeats; ++repeat) {
        alignas(64) uint8_t stage[kRepeatBytes];  // a repeat reads everything before it writes
        const uint32_t step = operands[0].PerBlock();
        vec::VisitStretches(plan, repeat, step, [&](uint32_t first, uint32_t n) {
            const uint64_t at = uint64_t{repeat} * plan.perRepeat + first;
            // Checks again: in hardware mode, earlier repeats may have overwritten the offsets.
            Inspect(core, issue.api(), src, list, at, n, base, size, size, &reach);
            function(stage + first * size, from, list + at, n);
        });
        vec::VisitStretches(plan, repeat, step, [&](uint32_t first, uint32_t n) {
            std::memcpy(operands[0].At(repeat, first), stage + first * size, n * size);
        });
    }
    issue.Done();
}

/// Checks the operands of a call that issues two Gather instructions: one for whole repeats, one
/// for the rest. The second instruction must not read bytes that the first instruction writes.
void CheckBothParts(Core& core, const Operand& dst, const Operand& src, const Operand& offsets,
                    uint32_t base, uint32_t count, uint32_t size) {
    const uint32_t perRepeat = kRepeatBytes / size;
    Issue call(Opcode::Gather, core);
    const Runs table = OffsetRuns(count, perRepeat);
    const auto* list =
        reinterpret_cast<const uint32_t*>(call.Read(Arg::SrcOffset, offsets, Memory::Ub, table));
    Runs results(uint64_t{count} * size);
    results.pace = kRepeatBytes;
    call.Write(Arg::Dst, dst, Memory::Ub, results);
    const Picks picks = {uint64_t{src.address} + base, list, count, size, perRepeat, nullptr};
    call.Note(Arg::Src, Memory::Ub, src.address, src.bytes, picks, false);
    call.CheckOverlap();
}

}  // namespace

void RunGather(Dtype dtype, const Operand& dst, const Operand& src, const Operand& offsets,
               uint32_t base, const vec::Extent& extent, uint32_t repeatStride, Location where) {
    Issue issue(Opcode::Gather, CoreKind::Aiv, where);
    if (issue) {
        GatherMasked(issue, dtype, dst, src, offsets, base, extent, repeatStride);
    }
}

void RunGatherCount(Dtype dtype, const Operand& dst, const Operand& src, const Operand& offsets,
                    uint32_t base, uint32_t count, Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aiv, where)) {
        return;
    }
    const Steps steps(core, Opcode::Gather);
    const uint32_t size = SizeOf(dtype);
    const uint32_t perRepeat = kRepeatBytes / size;
    const uint32_t repeats = count / perRepeat;
    const uint32_t tail = count % perRepeat;
    if (repeats > kMaxRepeat && core.strict) {
        Fail("T402",
             "count out of range: Gather of %u elements takes %u repeats, the chip's repeat count "
             "has 8 bits and %u of them would be lost\n  try: at most %u elements at a time",
             count, repeats, repeats - repeats % 256, kMaxRepeat * perRepeat);
    }
    if (core.mask.counter && core.strict) {
        Fail("T403",
             "counter mode: Gather with a count works under masks of its own, which counter mode "
             "reads as %u elements altogether\n  try: SetMaskNorm before it",
             perRepeat);
    }
    if (core.strict && repeats != 0 && tail != 0) {
        CheckBothParts(core, dst, src, offsets, base, count, size);
    }
    if (static_cast<uint8_t>(repeats) != 0) {
        Issue whole(Opcode::Gather, core);
        GatherMasked(whole, dtype, dst, src, offsets, base,
                     vec::Extent::Mask(uint64_t{perRepeat}, static_cast<uint8_t>(repeats), true),
                     kBlocks);
    }
    if (tail != 0) {
        const uint64_t done = count - tail;
        Issue rest(Opcode::Gather, core);
        GatherMasked(rest, dtype, Advance(dst, done * size), src,
                     Advance(offsets, done * sizeof(uint32_t)), base,
                     vec::Extent::Mask(uint64_t{tail}, 1, true), kBlocks);
    }
}

void RunGatherb(Dtype dtype, const Operand& dst, const Operand& src, const Operand& offsets,
                uint8_t repeats, const AscendC::GatherRepeatParams& strides, Location where) {
    Issue issue(Opcode::Gatherb, CoreKind::Aiv, where);
    if (!issue) {
        return;
    }
    Core& core = issue.core();
    core.mask.low = core.mask.high = UINT64_MAX;
    issue.Writes(Register::Mask);
    if (repeats == 0) {
        return;
    }
    const uint64_t block =
        uint64_t{strides.dstBlkStride == 0 ? 1U : strides.dstBlkStride} * kBlockBytes;
    const uint64_t step = uint64_t{strides.dstRepStride} * kBlockBytes;
    const uint64_t count = uint64_t{repeats} * kBlocks;
    issue.Type(dtype);
    issue.Work(repeats, count * kBlockBytes / SizeOf(dtype));
    uint8_t* to = issue.Write(Arg::Dst, dst, Memory::Ub,
                              Runs{kBlockBytes, {kBlocks, block}, {repeats, step}});
    const auto* list = reinterpret_cast<const uint32_t*>(
        issue.Read(Arg::Offset, offsets, Memory::Ub, OffsetRuns(count, kBlocks)));
    issue.As(Dtype::U32);
    RequireMemory(src, Memory::Ub, issue.api(), "src");
    Reach reach;
    Inspect(core, issue.api(), src, list, 0, count, 0, kBlockBytes, kBlockBytes, &reach);
    const Picks picks = {src.address, list, count, kBlockBytes, kBlocks, nullptr};
    issue.Note(Arg::Src, Memory::Ub, reach.first, reach.last - reach.first, picks, false);
    issue.Ready();
    const uint8_t* from = core.memory[static_cast<size_t>(Memory::Ub)] + src.address;
    const OffsetCopy given(issue, list, count);
    const auto follow = [&, first = to](ByteMarks& marks) {
        std::vector<uint8_t> moved(count * kBlockBytes);
        for (uint64_t i = 0; i < count; ++i) {
            std::memcpy(&moved[i * kBlockBytes], marks.Of(Memory::Ub, from + given[i]),
                        kBlockBytes);
        }
        for (uint64_t i = 0; i < count; ++i) {
            uint8_t* const result = first + i / kBlocks * step + i % kBlocks * block;
            std::memcpy(marks.Of(Memory::Ub, result), &moved[i * kBlockBytes], kBlockBytes);
        }
    };
    issue.Follow(follow);
    for (uint32_t repeat = 0; repeat < repeats; ++repeat, to += step) {
        uint8_t stage[kRepeatBytes];  // a repeat reads everything before it writes
        if (issue.InPlace()) {
            Inspect(core, issue.api(), src, list, uint64_t{repeat} * kBlocks, kBlocks, 0,
                    kBlockBytes, kBlockBytes, &reach);
        }
        for (uint32_t i = 0; i < kBlocks; ++i) {
            std::memcpy(stage + i * kBlockBytes, from + list[repeat * kBlocks + i], kBlockBytes);
        }
        for (uint32_t i = 0; i < kBlocks; ++i) {
            std::memcpy(to + i * block, stage + i * kBlockBytes, kBlockBytes);
        }
    }
    issue.Done();
}

void CheckBilinear(uint32_t hRepeat, uint32_t vRepeat, uint32_t vROffset, Location where) {
    Core& core = Self();
    core.Begin(where);
    const bool fits = hRepeat * 8 <= UINT8_MAX && vROffset * 2 / kBlockBytes <= UINT8_MAX;
    if (core.strict && vRepeat > 1 && !fits) {
        Fail("T402",
             "value out of range: BilinearInterpolation with hRepeat %u and vROffset %u; with more "
             "than one vRepeat, hRepeat is at most 31 and vROffset at most 4095",
             hRepeat, vROffset);
    }
}

}  // namespace twin::gather
