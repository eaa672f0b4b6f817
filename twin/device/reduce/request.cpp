// SPDX-License-Identifier: Apache-2.0
#include "device/reduce/request.h"

#include "core/float16.h"
#include "device/issue/issue.h"
#include "device/lanes/arithmetic.h"
#include "device/lanes/reduce.h"
#include "device/reduce/plan.h"

namespace twin::reduce {
namespace {

/// The largest or smallest value so far, for the register MAX_MIN_CNT.
struct BestSoFar {
    bool largest;
    bool half;
    bool first = true;
    float value = 0.0F;
    uint32_t bits = 0;
    uint32_t index = 0;

    void Offer(uint32_t offered, uint32_t at) {
        const float other = half ? HalfToFloat(static_cast<uint16_t>(offered)) : FloatOf(offered);
        const bool better = largest ? other > value : other < value;
        if (first || better || (other != other && value == value)) {
            value = other;
            bits = offered;
            index = at;
            first = false;
        }
    }
    void Store(const Core& core, const Work& work, ResultRegisters* registers) const {
        registers->bestValue = bits;
        registers->bestIndex = index;
        registers->bestKnown = work.Contiguous() && !core.mask.counter;
    }
};

/// Writes the results of a repeat to dst. A group without an active element keeps the old bytes of
/// its result.
void StoreGroups(const Work& work, const ActiveSet& set, const uint8_t* results, uint8_t* dst) {
    const Shape& shape = work.shape;
    for (uint32_t group = 0; group < shape.groups; ++group) {
        if (set.Any(group * shape.groupElements, shape.groupElements)) {
            std::memcpy(dst + group * shape.size, results + group * shape.size, shape.size);
        }
    }
}

void RunSums(Core& core, const Request& request, const Work& work) {
    const auto sum = lanes::BestReduce().sum[static_cast<size_t>(request.dtype)];
    const uint32_t repeatBytes = work.shape.groups * work.shape.size;
    alignas(64) uint8_t results[lanes::kReduceBatch * kRepeatBytes / 2];
    uint8_t* dst = work.dst;
    const bool saturate = !core.CtrlBit(kCtrlInfNan);
    ForBatches(work, [&](const Batch& batch) {
        sum(results, batch.src, batch.active, batch.count, work.shape.groupElements, saturate);
        if (batch.active == nullptr && work.DstOffset(1) == repeatBytes) {
            std::memcpy(dst + work.DstOffset(batch.first), results, batch.count * repeatBytes);
            return;
        }
        for (uint32_t i = 0; i < batch.count; ++i) {
            StoreGroups(work, batch.set, results + i * repeatBytes,
                        dst + work.DstOffset(batch.first + i));
        }
    });
}

void StoreBest(ReduceOrder order, uint32_t size, uint32_t value, uint32_t index, uint8_t* dst) {
    switch (order) {
        case ReduceOrder::ORDER_VALUE_INDEX:
            std::memcpy(dst, &value, size);
            std::memcpy(dst + size, &index, size);
            break;
        case ReduceOrder::ORDER_INDEX_VALUE:
            std::memcpy(dst, &index, size);
            std::memcpy(dst + size, &value, size);
            break;
        case ReduceOrder::ORDER_ONLY_VALUE:
            std::memcpy(dst, &value, size);
            break;
        case ReduceOrder::ORDER_ONLY_INDEX:
            std::memcpy(dst, &index, sizeof(index));
            break;
    }
}

void RunExtremes(Core& core, const Request& request, const Work& work) {
    const auto extreme = request.op == Op::Max ? lanes::Extreme::Max : lanes::Extreme::Min;
    const auto find =
        lanes::BestReduce().best[static_cast<size_t>(extreme)][static_cast<size_t>(request.dtype)];
    const Shape& shape = work.shape;
    const auto clamp = core.CtrlBit(kCtrlInfNan)
                           ? nullptr
                           : lanes::BestCasts().clamp[static_cast<size_t>(request.dtype)];
    uint32_t places[lanes::kReduceBatch * 8];
    BestSoFar best{request.op == Op::Max, request.dtype == Dtype::F16};
    ForBatches(work, [&](const Batch& batch) {
        find(places, batch.src, batch.active, batch.count, shape.groupElements);
        for (uint32_t i = 0; i < batch.count; ++i) {
            uint8_t* dst = work.dst + work.DstOffset(batch.first + i);
            alignas(4) uint8_t values[8 * sizeof(uint32_t)];
            uint32_t value = 0;
            for (uint32_t group = 0; group < shape.groups; ++group) {
                const uint32_t place = places[i * shape.groups + group];
                const uint32_t element =
                    i * work.plan.perRepeat + group * shape.groupElements + place;
                std::memcpy(&value, batch.src + element * shape.size, shape.size);
                if (clamp != nullptr) {
                    clamp(&value, 1);
                }
                std::memcpy(values + group * shape.size, &value, shape.size);
            }
            if (request.group == Group::Block) {
                StoreGroups(work, batch.set, values, dst);
                continue;
            }
            const uint32_t place = places[i];
            StoreBest(request.order, shape.size, value, place, dst);
            best.Offer(value, (batch.first + i) * work.plan.perRepeat + place);
        }
    });
    if (request.group == Group::Repeat) {
        best.Store(core, work, &core.results);
    }
}

/// Moves marks (see ByteMarks): the result of a group gets the first mark of its active elements.
void MarkGroups(const ByteMarks& marks, const Work& work) {
    const Shape& shape = work.shape;
    const uint32_t perBlock = kBlockBytes / shape.size;
    for (uint32_t repeat = 0; repeat < work.plan.repeats; ++repeat) {
        uint8_t found[kRepeatBytes / 2] = {};
        const uint8_t* const from = marks.Of(Memory::Ub, work.src) + work.SrcOffset(repeat);
        vec::VisitStretches(work.plan, repeat, perBlock, [&](uint32_t first, uint32_t length) {
            const uint64_t block = uint64_t{first / perBlock} * work.srcBlkStride * kBlockBytes;
            for (uint32_t i = first; i < first + length; ++i) {
                const uint8_t* const element = from + block + i % perBlock * shape.size;
                uint8_t& mark = found[i / shape.groupElements];
                mark = mark != 0 ? mark : ByteMarks::First(element, shape.size);
            }
        });
        uint8_t* const to = marks.Of(Memory::Ub, work.dst) + work.DstOffset(repeat);
        const ActiveSet set = ActiveOf(work.plan, repeat);
        for (uint32_t group = 0; group < shape.groups; ++group) {
            if (set.Any(group * shape.groupElements, shape.groupElements)) {
                std::memset(to + group * shape.size, found[group],
                            shape.groups == 1 ? shape.resultBytes : shape.size);
            }
        }
    }
}

/// Returns true if the API reduces all elements to one result, in one or more instructions.
bool ReducesAll(Opcode api) {
    return api == Opcode::ReduceSum || api == Opcode::ReduceMax || api == Opcode::ReduceMin;
}

}  // namespace

void Run(const Request& request, Location where) {
    Issue issue(request.api, CoreKind::Aiv, where);
    Work work;
    if (!issue || !Resolve(issue, request, &work)) {
        return;
    }
    if (request.op == Op::Sum) {
        RunSums(issue.core(), request, work);
    } else {
        RunExtremes(issue.core(), request, work);
        issue.Writes(Register::Best);
    }
    const auto follow = [&work](const ByteMarks& marks) { MarkGroups(marks, work); };
    if (!ReducesAll(request.api)) {
        issue.Follow(follow);
    }
    issue.Done();
}

BestResult ReadBest(Opcode api, Location where) {
    Issue issue(api, CoreKind::Aiv, where);
    const Core& core = issue.core();
    if (!issue) {
        return BestResult();
    }
    if (core.strict && !core.results.bestKnown) {
        Fail(
            "T434",
            "register undefined: %s, but no WholeReduceMax, WholeReduceMin, ReduceMax or ReduceMin "
            "over contiguous repeats in normal mask mode comes before it\n  try: srcBlkStride 1 "
            "and srcRepStride 8, or read the result from dst",
            Name(api));
    }
    issue.Reads(Register::Best);
    issue.Done();
    return BestResult{core.results.bestValue, core.results.bestIndex};
}

uint32_t ReadSum(Opcode api, Location where) {
    Issue issue(api, CoreKind::Aiv, where);
    const Core& core = issue.core();
    if (!issue) {
        return 0;
    }
    if (core.strict && !core.results.sumKnown) {
        Fail("T434",
             "register undefined: %s, but no ReduceSum with an element count comes before it\n"
             "  try: ReduceSum(dst, src, sharedTmpBuffer, count)",
             Name(api));
    }
    issue.Reads(Register::Sum);
    issue.Done();
    return core.results.sum;
}

}  // namespace twin::reduce
