// SPDX-License-Identifier: Apache-2.0
#include "device/reduce/plan.h"

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
             Name(request.api), request.mask.count);
    }
    vec::Extent extent;
    extent.form = request.mask.form;
    extent.count = static_cast<uint64_t>(request.mask.count);
    extent.low = request.mask.low;
    extent.high = request.mask.high;
    extent.repeats = Narrow(core, Name(request.api), "repeatTime", request.repeats, kMaxRepeat);
    return extent;
}

/// Returns the number of bytes from the start of a repeat to the end of its last active element.
uint64_t SourceEnd(const Work& work, uint32_t repeat) {
    const uint32_t perBlock = kBlockBytes >> __builtin_ctz(work.shape.size);
    const ActiveSet set = ActiveOf(work.plan, repeat);
    uint32_t last = set.Last();
    const uint64_t block =
        uint64_t{last >> __builtin_ctz(perBlock)} * work.srcBlkStride * kBlockBytes;
    // With block stride 0, a repeat reads one block 8 times: find the highest byte that is needed.
    for (uint32_t i = 0; work.srcBlkStride == 0 && i < work.plan.perRepeat; ++i) {
        last = set.Has(i) && i % perBlock > last % perBlock ? i : last;
    }
    return block + ((last & (perBlock - 1)) + 1) * work.shape.size;
}

uint64_t ResultEnd(const Work& work, uint32_t repeat) {
    if (work.shape.groups == 1) {
        return work.shape.resultBytes;
    }
    return (ActiveOf(work.plan, repeat).Last() / work.shape.groupElements + 1) * work.shape.size;
}

void Measure(Work* work) {
    // The last repeat may be short, so the repeat before the last may end at a higher address.
    const uint32_t repeats = work->plan.repeats;
    for (uint32_t repeat = repeats > 1 ? repeats - 2 : 0; repeat < repeats; ++repeat) {
        work->srcBytes =
            std::max(work->srcBytes, work->SrcOffset(repeat) + SourceEnd(*work, repeat));
        work->dstBytes =
            std::max(work->dstBytes, work->DstOffset(repeat) + ResultEnd(*work, repeat));
    }
}

/// Calls `visit` for the active elements of the source, block by block.
void VisitSource(const Request& request, const Work& work, const PieceVisitor& visit) {
    const uint32_t perBlock = kBlockBytes / work.shape.size;
    for (uint32_t repeat = 0; repeat < work.plan.repeats; ++repeat) {
        const uint64_t begin = request.src.address + work.SrcOffset(repeat);
        vec::VisitStretches(work.plan, repeat, perBlock, [&](uint32_t first, uint32_t length) {
            const uint64_t block = uint64_t{first / perBlock} * work.srcBlkStride * kBlockBytes;
            visit(repeat, begin + block + first % perBlock * work.shape.size,
                  length * work.shape.size);
        });
    }
}

/// Calls `visit` for the results of groups that have an active element.
void VisitResults(const Request& request, const Work& work, const PieceVisitor& visit) {
    const Shape& shape = work.shape;
    for (uint32_t repeat = 0; repeat < work.plan.repeats; ++repeat) {
        const uint64_t begin = request.dst.address + work.DstOffset(repeat);
        const ActiveSet set = ActiveOf(work.plan, repeat);
        for (uint32_t group = 0; group < shape.groups; ++group) {
            if (set.Any(group * shape.groupElements, shape.groupElements)) {
                visit(repeat, begin + uint64_t{group} * shape.size,
                      shape.groups == 1 ? shape.resultBytes : shape.size);
            }
        }
    }
}

/// Returns the source bytes that are read with a full mask. ResultFrame returns the written bytes.
Runs SourceFrame(const Work& work) {
    return Runs{kBlockBytes,
                {kRepeatBytes / kBlockBytes, uint64_t{work.srcBlkStride} * kBlockBytes},
                {work.plan.repeats, work.SrcOffset(1)}};
}

Runs ResultFrame(const Work& work) {
    const Shape& shape = work.shape;
    const uint64_t bytes =
        shape.groups == 1 ? shape.resultBytes : uint64_t{shape.groups} * shape.size;
    return Runs{bytes, Level(), {work.plan.repeats, work.DstOffset(1)}};
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

bool Resolve(Issue& issue, const Request& request, Work* work) {
    Core& core = issue.core();
    work->shape = ShapeOf(request);
    work->plan.perRepeat = kRepeatBytes / work->shape.size;
    const vec::Extent extent = ExtentOf(core, request);
    work->dstRepStride =
        Narrow(core, Name(request.api), "dstRepStride", request.dstRepStride, UINT16_MAX);
    work->srcBlkStride =
        Narrow(core, Name(request.api), "srcBlkStride", request.srcBlkStride, UINT16_MAX);
    work->srcRepStride =
        Narrow(core, Name(request.api), "srcRepStride", request.srcRepStride, UINT16_MAX);
    if (!vec::ResolveMask(issue, extent, &work->plan)) {
        return false;
    }
    issue.Type(request.dtype);
    issue.core().ComputesWith(request.dtype);
    issue.Work(work->plan.repeats, work->plan.elements);
    issue.Reads(Register::Ctrl);
    Measure(work);
    const bool full = work->plan.Full();
    const auto results = [&](const PieceVisitor& visit) { VisitResults(request, *work, visit); };
    const auto source = [&](const PieceVisitor& visit) { VisitSource(request, *work, visit); };
    if (!request.toRegister) {
        const uint32_t alignment = work->shape.alignment;
        work->dst = full ? issue.Write(request.dstName, request.dst, Memory::Ub, ResultFrame(*work),
                                       alignment)
                         : issue.Write(request.dstName, request.dst, Memory::Ub, ResultFrame(*work),
                                       work->dstBytes, results, alignment);
    }
    work->src = full && work->srcBlkStride != 0
                    ? issue.Read(request.srcName, request.src, Memory::Ub, SourceFrame(*work))
                    : issue.Read(request.srcName, request.src, Memory::Ub, SourceFrame(*work),
                                 work->srcBytes, source);
    issue.Ready();
    work->ordered = !core.strict && issue.InPlace();
    return true;
}

}  // namespace twin::reduce
