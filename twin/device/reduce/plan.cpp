// SPDX-License-Identifier: Apache-2.0
#include "device/reduce/plan.h"

#include <cinttypes>

namespace twin::reduce {
namespace {

Shape ShapeOf(const Request& request) {
    Shape shape;
    shape.size = SizeOf(request.dtype);
    const uint32_t perRepeat = kRepeatBytes / shape.size;
    switch (request.group) {
        case Group::Repeat:
            shape.groups = 1;
            shape.resultBytes = request.order == ReduceOrder::ORDER_ONLY_VALUE   ? shape.size
                                : request.order == ReduceOrder::ORDER_ONLY_INDEX ? sizeof(uint32_t)
                                                                                 : 2 * shape.size;
            shape.alignment = shape.resultBytes;
            break;
        case Group::Block:
            shape.groups = 8;
            shape.resultBytes = 8 * shape.size;
            shape.alignment = shape.resultBytes;
            break;
        case Group::Pair:
            shape.groups = perRepeat / 2;
            shape.resultBytes = kRepeatBytes / 2;
            shape.alignment = kBlockBytes;
            break;
    }
    shape.groupElements = perRepeat / shape.groups;
    return shape;
}

vec::Extent ExtentOf(Core& core, const Request& request) {
    if (request.mask.form == vec::Extent::Form::MaskCount && request.mask.count < 0) {
        Fail("T403", "mask out of range: %s with mask %d, expected 0 to the elements of a repeat",
             request.api, request.mask.count);
    }
    vec::Extent extent;
    extent.form = request.mask.form;
    extent.count = static_cast<uint64_t>(request.mask.count);
    extent.low = request.mask.low;
    extent.high = request.mask.high;
    extent.repeats = Narrow(core, request.api, "repeatTime", request.repeats, kMaxRepeat);
    return extent;
}

/// Bytes from the start of a repeat's source to the end of its last active element.
uint64_t SourceEnd(const Work& work, uint32_t repeat) {
    const uint32_t perBlock = kBlockBytes / work.shape.size;
    const ActiveSet set = ActiveOf(work.plan, repeat);
    uint32_t last = set.Last();
    const uint64_t block = uint64_t{last / perBlock} * work.srcBlkStride * kBlockBytes;
    // Stride 0 reads one block again and again; any of its readers may reach furthest.
    for (uint32_t i = 0; work.srcBlkStride == 0 && i < work.plan.perRepeat; ++i) {
        last = set.Has(i) && i % perBlock > last % perBlock ? i : last;
    }
    return block + (last % perBlock + 1) * work.shape.size;
}

uint64_t ResultEnd(const Work& work, uint32_t repeat) {
    if (work.shape.groups == 1) {
        return work.shape.resultBytes;
    }
    return (ActiveOf(work.plan, repeat).Last() / work.shape.groupElements + 1) * work.shape.size;
}

void Measure(Work* work) {
    // The last repeat may be a short tail, so the one before it may reach further.
    const uint32_t repeats = work->plan.repeats;
    for (uint32_t repeat = repeats > 1 ? repeats - 2 : 0; repeat < repeats; ++repeat) {
        work->srcBytes =
            std::max(work->srcBytes, work->SrcOffset(repeat) + SourceEnd(*work, repeat));
        work->dstBytes =
            std::max(work->dstBytes, work->DstOffset(repeat) + ResultEnd(*work, repeat));
    }
}

/// Whether the result of `repeat` lands on bytes that `later` still has to read.
bool Hits(const Request& request, const Work& work, uint32_t repeat, uint32_t later) {
    const uint32_t perBlock = kBlockBytes / work.shape.size;
    const uint64_t begin = request.dst.address + work.DstOffset(repeat);
    const uint64_t end = begin + ResultEnd(work, repeat);
    const ActiveSet set = ActiveOf(work.plan, later);
    for (uint32_t block = 0; block < 8; ++block) {
        const uint64_t source = request.src.address + work.SrcOffset(later) +
                                uint64_t{block} * work.srcBlkStride * kBlockBytes;
        if (begin < source + kBlockBytes && source < end && set.Any(block * perBlock, perBlock)) {
            return true;
        }
    }
    return false;
}

/// First repeat whose result lands on the source of a later one; `repeats` if there is none.
uint32_t FirstHit(const Request& request, const Work& work, uint32_t* later) {
    const uint32_t repeats = work.plan.repeats;
    const uint64_t dst = request.dst.address;
    const uint64_t src = request.src.address;
    if (dst + work.dstBytes <= src || src + work.srcBytes <= dst) {
        return repeats;
    }
    for (uint32_t repeat = 0; repeat + 1 < repeats; ++repeat) {
        // Sources only move up: a result below the next one is below all that follow.
        if (dst + work.DstOffset(repeat) + ResultEnd(work, repeat) <=
            src + work.SrcOffset(repeat + 1)) {
            continue;
        }
        for (*later = repeat + 1; *later < repeats; ++*later) {
            if (Hits(request, work, repeat, *later)) {
                return repeat;
            }
        }
    }
    return repeats;
}

void CheckOverlap(const Core& core, const Request& request, Work* work) {
    uint32_t later = 0;
    const uint32_t repeat = FirstHit(request, *work, &later);
    work->ordered = repeat != work->plan.repeats;
    if (work->ordered && core.strict) {
        Fail("T405",
             "operands overlap: %s writes the result of repeat %u at UB+0x%" PRIx64
             " into %s, where repeat %u still has to read (UB+0x%" PRIx64
             ")\n  try: a dst of its own, or one that starts where %s does",
             request.api, repeat, request.dst.address + work->DstOffset(repeat), request.srcName,
             later, request.src.address + work->SrcOffset(later), request.srcName);
    }
}

}  // namespace

ActiveSet ActiveOf(const vec::Plan& plan, uint32_t repeat) {
    ActiveSet set{plan.low, plan.high};
    if (plan.lastCount != 0 && repeat + 1 == plan.repeats) {
        const uint32_t count = plan.lastCount;
        set.low &= count >= 64 ? UINT64_MAX : (uint64_t{1} << count) - 1;
        set.high &= count >= 128 ? UINT64_MAX
                                 : (count > 64 ? (uint64_t{1} << (count - 64)) - 1 : uint64_t{0});
    }
    return set;
}

uint32_t Narrow(Core& core, const char* api, const char* name, int32_t value, uint32_t largest) {
    const auto bits = static_cast<uint32_t>(value);
    if (core.strict && (value < 0 || bits > largest)) {
        const bool repeats = largest == kMaxRepeat;
        Fail(repeats ? "T430" : "T431",
             "%s out of range: %s with %s = %d, expected 0 to %u: the chip keeps the low %d bits"
             "\n  try: %s",
             repeats ? "repeat count" : "stride", api, name, value, largest, repeats ? 8 : 16,
             repeats ? "several calls of at most 255 repeats" : "a layout with smaller steps");
    }
    return bits & largest;
}

bool Resolve(Core& core, const Request& request, Work* work) {
    work->shape = ShapeOf(request);
    work->plan.perRepeat = kRepeatBytes / work->shape.size;
    const vec::Extent extent = ExtentOf(core, request);
    work->dstRepStride =
        Narrow(core, request.api, "dstRepStride", request.dstRepStride, UINT16_MAX);
    work->srcBlkStride =
        Narrow(core, request.api, "srcBlkStride", request.srcBlkStride, UINT16_MAX);
    work->srcRepStride =
        Narrow(core, request.api, "srcRepStride", request.srcRepStride, UINT16_MAX);
    if (!vec::ResolveMask(core, request.api, extent, &work->plan)) {
        return false;
    }
    Measure(work);
    CheckOperand(core, request.dst, work->dstBytes, work->shape.alignment, request.api,
                 request.dstName);
    CheckOperand(core, request.src, work->srcBytes, kBlockBytes, request.api, request.srcName);
    CheckOverlap(core, request, work);
    return true;
}

void Record(Core& core, const Request& request, const Work& work) {
    Instruction instruction;
    instruction.pipe = Pipe::V;
    instruction.opcode = request.api;
    instruction.dtype = request.dtype;
    instruction.elements = work.plan.elements;
    instruction.repeats = work.plan.repeats;
    ByteRange dst = core.Local(Memory::Ub, request.dst.address, work.dstBytes, true);
    if (work.plan.repeats > 1 && work.dstRepStride != 0) {
        dst.bytes = ResultEnd(work, 0);
        dst.count = work.plan.repeats;
        dst.stride = work.DstOffset(1);
    }
    ByteRange src = core.Local(Memory::Ub, request.src.address, work.srcBytes, false);
    if (!work.Contiguous() && work.plan.repeats > 1 && work.srcRepStride != 0) {
        src.bytes = SourceEnd(work, 0);
        src.count = work.plan.repeats;
        src.stride = work.SrcOffset(1);
    }
    instruction.Add(dst);
    instruction.Add(src);
    core.Record(instruction);
}

}  // namespace twin::reduce
