// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cinttypes>
#include <cstring>

#include "core/float16.h"
#include "device/issue/operand.h"
#include "device/library/elementwise.h"
#include "device/reduce/plan.h"
#include "device/reduce/request.h"
#include "device/sync/events.h"

namespace twin::reduce {

Operand At(const Operand& operand, uint64_t elements, Dtype dtype) {
    const uint64_t bytes = elements * SizeOf(dtype);
    Operand view = operand;
    view.address =
        static_cast<uint32_t>(std::min<uint64_t>(operand.address + bytes, UINT32_MAX / 2));
    view.bytes = bytes < operand.bytes ? operand.bytes - static_cast<uint32_t>(bytes) : 0;
    return view;
}

void ReleaseScalar(Location where) {
    SyncPipes(AscendC::HardEvent::S_V, where);
    SyncPipes(AscendC::HardEvent::S_MTE3, where);
}

uint32_t LoadElement(Opcode api, const Operand& from, Dtype dtype, Location where) {
    uint32_t bits = 0;
    std::memcpy(&bits, LocalScalar(from, SizeOf(dtype), false, api, where), SizeOf(dtype));
    return bits;
}

void StoreElement(Opcode api, const Operand& to, uint32_t bits, Dtype dtype, Location where) {
    std::memcpy(LocalScalar(to, SizeOf(dtype), true, api, where), &bits, SizeOf(dtype));
}

void RequireNormalMode(const Core& core, Opcode api) {
    if (core.mask.counter) {
        Fail("T432",
             "counter mode: %s works in several steps with mask bits, which counter mode takes for "
             "an element count\n  try: SetMaskNorm() before the call, or the form with a count of "
             "ReduceSum",
             Name(api));
    }
}

void CheckRepeats(Opcode api, int32_t repeats) {
    if (repeats < 0) {
        Fail("T430", "repeat count out of range: %s with repeatTime = %d, expected 0 or more",
             Name(api), repeats);
    }
}

void CheckCount(const Core& core, Opcode api, Dtype dtype, int32_t count) {
    if (count < 0 || static_cast<uint64_t>(count) * SizeOf(dtype) > core.soc->ubBytes) {
        Fail("T402", "count out of range: %s of %d elements, the unified buffer has %" PRIu64 " B",
             Name(api), count, core.soc->ubBytes);
    }
}

namespace {

using AscendC::HardEvent;

constexpr Opcode kApi = Opcode::ReduceSum;

Request SumRequest(Dtype dtype, const Operand& dst, const Operand& src, const Mask& mask) {
    return {kApi, Op::Sum, Group::Repeat, dtype, dst, src, mask};
}

/// Adds the sums of the repeats one after the other, in the element type.
struct Accumulator {
    Dtype dtype;
    bool saturate;
    float total = -0.0F;  // adding a number to -0 gives that number

    void Add(const uint8_t* sums, uint32_t count) {
        float values[lanes::kReduceBatch];
        advanced::Load(values, sums, dtype, count);
        for (uint32_t i = 0; i < count; ++i) {
            const float next = total + values[i];
            total = dtype == Dtype::F16 ? Rounded(next) : next;
        }
    }
    uint32_t Bits() const {
        if (total != total) {
            return dtype == Dtype::F16 ? 0x7E00U : 0x7FC00000U;
        }
        return dtype == Dtype::F16 ? FloatToHalf(total) : BitsOf(total);
    }
    float Rounded(float value) const {
        if (saturate) {
            value = value != value ? 0.0F : std::clamp(value, -65504.0F, 65504.0F);
        }
        return HalfToFloat(FloatToHalf(value));
    }
};

uint32_t Accumulate(Core& core, const Request& request, const Work& work) {
    const auto sum = lanes::BestReduce().sum[static_cast<size_t>(request.dtype)];
    const bool saturate = !core.CtrlBit(kCtrlInfNan);
    Accumulator total{request.dtype, saturate};
    alignas(64) uint8_t sums[lanes::kReduceBatch * sizeof(float)];
    ForBatches(work, [&](const Batch& batch) {
        sum(sums, batch.src, batch.active, batch.count, work.shape.groupElements, saturate);
        total.Add(sums, batch.count);
    });
    return total.Bits();
}

/// Runs the second level of ReduceSum: reduces `count` sums in `work` in place, in counter mode.
void SumOfSums(Core& core, Dtype dtype, const Operand& work, int32_t count, Location where) {
    core.mask.counter = true;
    core.mask.low = static_cast<uint64_t>(count);
    core.mask.high = 0;
    Request request = SumRequest(dtype, work, work, Mask());
    request.dstName = request.srcName = Arg::SharedTmpBuffer;
    Run(request, where);
    // The mask register keeps the count, because the library does not restore the register.
    core.mask.counter = false;
}

}  // namespace

void RunSumOfCount(Dtype dtype, const Operand& dst, const Operand& src, int32_t count, bool setMask,
                   Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aiv, where)) {
        return;
    }
    if (setMask) {
        CheckCount(core, kApi, dtype, count);
        core.mask = MaskState{true, static_cast<uint64_t>(count), 0};
    }
    const Steps steps(core, kApi);
    // The instruction writes only to ACC_VAL; dst is checked when the scalar unit writes it.
    Request request = SumRequest(dtype, src, src, Mask());
    request.toRegister = true;
    Issue issue(kApi, core);
    Work work;
    const bool any = Resolve(issue, request, &work);
    if (setMask) {
        core.mask = MaskState();
    }
    if (!any) {
        return;
    }
    core.results.sum = Accumulate(core, request, work);
    core.results.sumKnown = true;
    issue.Writes(Register::Sum);
    issue.Done();
    SyncPipes(HardEvent::V_S, where);
    StoreElement(kApi, dst, core.results.sum, dtype, where);
    ReleaseScalar(where);
}

void RunSumOfRepeats(Dtype dtype, const Operand& dst, const Operand& src, const Operand& work,
                     const Mask& mask, int32_t repeats, int32_t srcRepStride, Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aiv, where)) {
        return;
    }
    RequireNormalMode(core, kApi);
    CheckRepeats(kApi, repeats);
    if (repeats == 0 || mask.Empty()) {
        return;
    }
    const Steps steps(core, kApi);
    const auto perRepeat = static_cast<int32_t>(kRepeatBytes / SizeOf(dtype));
    const int64_t stepElements = int64_t{srcRepStride} * kBlockBytes / SizeOf(dtype);
    Request first = SumRequest(dtype, work, src, mask);
    first.dstName = Arg::SharedTmpBuffer;
    first.srcRepStride = srcRepStride;
    for (int32_t done = 0; done < repeats; done += static_cast<int32_t>(kMaxRepeat)) {
        first.repeats = std::min(repeats - done, static_cast<int32_t>(kMaxRepeat));
        first.dst = At(work, static_cast<uint64_t>(done), dtype);
        first.src = At(src, static_cast<uint64_t>(done * stepElements), dtype);
        Run(first, where);
    }
    const int32_t sums = (repeats + perRepeat - 1) / perRepeat;
    if (repeats > 1) {
        IssueBarrier(Opcode::PipeBarrier, Pipe::V, where);
        SumOfSums(core, dtype, work, repeats, where);
        IssueBarrier(Opcode::PipeBarrier, Pipe::V, where);
    }
    if (sums == 1) {
        SyncPipes(HardEvent::V_S, where);
        StoreElement(kApi, dst, LoadElement(kApi, work, dtype, where), dtype, where);
        ReleaseScalar(where);
        return;
    }
    if (sums > perRepeat) {
        Fail("T430",
             "repeat count out of range: ReduceSum with repeatTime = %d, its third level takes %d "
             "sums of %d repeats each\n  try: at most %d repeats per call",
             repeats, perRepeat, perRepeat, perRepeat * perRepeat);
    }
    Request last = SumRequest(dtype, dst, work, Mask::Of(sums));
    last.srcName = Arg::SharedTmpBuffer;
    Run(last, where);
}

}  // namespace twin::reduce
