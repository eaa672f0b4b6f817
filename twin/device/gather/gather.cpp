// SPDX-License-Identifier: Apache-2.0
#include "device/lanes/gather.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>

#include "device/gather/engine.h"
#include "device/lanes/select.h"
#include "device/vec/walk.h"

TWIN_LANES_SELECT(GatherTable, GatherLanes, BestGather)

namespace twin::gather {
namespace {

constexpr uint32_t kBlocks = kRepeatBytes / kBlockBytes;

/// The bytes behind the base that a gather reads.
struct Reach {
    uint64_t first = UINT64_MAX;
    uint64_t last = 0;  ///< one behind
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
    if (address + bytes > core.ubBytes) {
        Fail("T424",
             "offset outside the unified buffer: %s reads %u B at UB+0x%" PRIx64
             " (src at UB+0x%x, base %u, offset[%" PRIu64 "] = %u), which has %" PRIu64
             " B\n  try: check the offsets; elements outside the mask need none",
             api, bytes, address, src.address, base, index, offset, core.ubBytes);
    }
    Fail("T107",
         "tensor too small: %s reads %u B at byte %" PRIu64 " of src (base %u, offset[%" PRIu64
         "] = %u), which has %u B\n  try: check the offsets; they count bytes, not elements",
         api, bytes, uint64_t{base} + offset, base, index, offset, src.bytes);
}

/// Looks at `count` offsets from position `at`; ends the task at the first illegal one.
void Inspect(const Core& core, const char* api, const Operand& src, const uint32_t* offsets,
             uint64_t at, uint64_t count, uint32_t base, uint32_t bytes, uint32_t align,
             Reach* reach) {
    const lanes::OffsetFacts facts = lanes::BestGather().inspect(offsets + at, count);
    const uint64_t start = uint64_t{src.address} + base;
    const uint64_t limit = core.strict
                               ? std::min<uint64_t>(core.ubBytes, uint64_t{src.address} + src.bytes)
                               : core.ubBytes;
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

void RecordGather(Core& core, Instruction instruction, const Operand& offsets, uint64_t offsetBytes,
                  const Reach& reach) {
    instruction.Add(core.Local(Memory::Ub, offsets.address, offsetBytes, false));
    instruction.Add(core.Local(Memory::Ub, reach.first, reach.last - reach.first, false));
    core.Record(instruction);
}

void GatherMasked(Core& core, Dtype dtype, const Operand& dst, const Operand& src,
                  const Operand& offsets, uint32_t base, const vec::Extent& extent,
                  uint32_t repeatStride) {
    const vec::VecOperand operands[] = {{"dst", dst, dtype, 1, repeatStride, true}};
    vec::Plan plan;
    if (!vec::Resolve(core, "Gather", operands, 1, extent, &plan)) {
        return;
    }
    const uint64_t offsetBytes = vec::ElementSpan(plan) * sizeof(uint32_t);
    CheckOperand(core, offsets, offsetBytes, kBlockBytes, "Gather", "srcOffset");
    RequireUb(src, "Gather", "src");
    const uint32_t size = SizeOf(dtype);
    const auto* list = reinterpret_cast<const uint32_t*>(core.ub + offsets.address);
    Reach reach;
    vec::WalkAt(core, operands, 1, plan, [&](uint8_t* const*, uint64_t n, uint64_t at) {
        Inspect(core, "Gather", src, list, at, n, base, size, size, &reach);
    });
    const Instruction instruction = vec::Describe(core, "Gather", operands, 1, plan);
    if (core.strict) {
        const ByteRange& out = instruction.ranges[0];
        RequireApart("Gather", "src", out.begin, out.Span(), reach.first, reach.last - reach.first);
        if (size != sizeof(uint32_t) || !plan.contiguous || dst.address != offsets.address) {
            RequireApart("Gather", "srcOffset", out.begin, out.Span(), offsets.address,
                         offsetBytes);
        }
    }
    if (core.Recording()) {
        RecordGather(core, instruction, offsets, offsetBytes, reach);
    }
    const auto function = size == 2 ? lanes::BestGather().gather16 : lanes::BestGather().gather32;
    const uint8_t* from = core.ub + src.address + base;
    vec::WalkAt(core, operands, 1, plan, [&](uint8_t* const* p, uint64_t n, uint64_t at) {
        function(p[0], from, list + at, n);
    });
}

Operand Behind(const Operand& operand, uint64_t bytes) {
    const auto skip = static_cast<uint32_t>(bytes);
    return Operand{operand.address + skip, operand.bytes > skip ? operand.bytes - skip : 0,
                   operand.position};
}

}  // namespace

void RequireApart(const char* api, const char* name, uint64_t dst, uint64_t dstBytes,
                  uint64_t source, uint64_t sourceBytes) {
    if (dst + dstBytes <= source || source + sourceBytes <= dst) {
        return;
    }
    Fail("T405",
         "operands overlap: %s writes dst at UB+0x%" PRIx64 " (%" PRIu64
         " B) over its source %s at UB+0x%" PRIx64 " (%" PRIu64 " B)\n  try: separate buffers",
         api, dst, dstBytes, name, source, sourceBytes);
}

void RunGather(Dtype dtype, const Operand& dst, const Operand& src, const Operand& offsets,
               uint32_t base, const vec::Extent& extent, uint32_t repeatStride, Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aiv, where)) {
        return;
    }
    GatherMasked(core, dtype, dst, src, offsets, base, extent, repeatStride);
}

void RunGatherCount(Dtype dtype, const Operand& dst, const Operand& src, const Operand& offsets,
                    uint32_t base, uint32_t count, Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aiv, where)) {
        return;
    }
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
    if (static_cast<uint8_t>(repeats) != 0) {
        GatherMasked(core, dtype, dst, src, offsets, base,
                     vec::Extent::Mask(uint64_t{perRepeat}, static_cast<uint8_t>(repeats), true),
                     kBlocks);
    }
    if (tail != 0) {
        const uint64_t done = count - tail;
        GatherMasked(core, dtype, Behind(dst, done * size), src,
                     Behind(offsets, done * sizeof(uint32_t)), base,
                     vec::Extent::Mask(uint64_t{tail}, 1, true), kBlocks);
    }
}

void RunGatherb(Dtype dtype, const Operand& dst, const Operand& src, const Operand& offsets,
                uint8_t repeats, const AscendC::GatherRepeatParams& strides, Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aiv, where)) {
        return;
    }
    core.mask.low = core.mask.high = UINT64_MAX;
    if (repeats == 0) {
        return;
    }
    const uint64_t block = strides.dstBlkStride == 0 ? 1 : strides.dstBlkStride;
    const uint64_t one = ((kBlocks - 1) * block + 1) * kBlockBytes;
    const uint64_t step = uint64_t{strides.dstRepStride} * kBlockBytes;
    const uint64_t span = (repeats - 1) * step + one;
    const uint64_t count = uint64_t{repeats} * kBlocks;
    CheckOperand(core, dst, span, kBlockBytes, "Gatherb", "dst");
    CheckOperand(core, offsets, count * sizeof(uint32_t), kBlockBytes, "Gatherb", "offset");
    RequireUb(src, "Gatherb", "src");
    const auto* list = reinterpret_cast<const uint32_t*>(core.ub + offsets.address);
    Reach reach;
    Inspect(core, "Gatherb", src, list, 0, count, 0, kBlockBytes, kBlockBytes, &reach);
    if (core.strict) {
        RequireApart("Gatherb", "src", dst.address, span, reach.first, reach.last - reach.first);
        RequireApart("Gatherb", "offset", dst.address, span, offsets.address,
                     count * sizeof(uint32_t));
    }
    if (core.Recording()) {
        Instruction instruction;
        instruction.pipe = Pipe::V;
        instruction.opcode = "Gatherb";
        instruction.dtype = dtype;
        instruction.repeats = repeats;
        instruction.elements = count * kBlockBytes / SizeOf(dtype);
        ByteRange range = core.Local(Memory::Ub, dst.address, one, true);
        range.count = repeats;
        range.stride = step;
        instruction.Add(range);
        RecordGather(core, instruction, offsets, count * sizeof(uint32_t), reach);
    }
    for (uint64_t i = 0; i < count; ++i) {
        uint8_t* to =
            core.ub + dst.address + i / kBlocks * step + i % kBlocks * block * kBlockBytes;
        std::memmove(to, core.ub + src.address + list[i], kBlockBytes);
    }
}

}  // namespace twin::gather
