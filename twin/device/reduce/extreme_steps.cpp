// SPDX-License-Identifier: Apache-2.0
#include "device/issue/operand.h"
#include "device/reduce/plan.h"
#include "device/reduce/request.h"
#include "device/sync/events.h"

namespace twin::reduce {
namespace {

using AscendC::HardEvent;

/// Runs ReduceMax or ReduceMin level by level. An instruction reduces each repeat of a level to a
/// pair of value and index; the values are the elements of the next level.
struct ExtremeSteps {
    Opcode api;
    Op op;
    Dtype dtype;
    const Operand& dst;
    const Operand& work;
    bool withIndex;
    Location where;
    int32_t perRepeat = static_cast<int32_t>(kRepeatBytes / SizeOf(dtype));

    void Reduce(const Operand& src, Arg srcName, const Mask& mask, int32_t repeats,
                int32_t srcRepStride) {
        if (repeats == 1) {
            ReduceOne(src, srcName, mask, srcRepStride);
            return;
        }
        const int64_t step = int64_t{srcRepStride} * kBlockBytes / SizeOf(dtype);
        for (int32_t done = 0; done < repeats; done += static_cast<int32_t>(kMaxRepeat)) {
            const int32_t count = std::min(repeats - done, static_cast<int32_t>(kMaxRepeat));
            Step(WorkAt(static_cast<uint64_t>(done) * kPair), Arg::SharedTmpBuffer,
                 At(src, static_cast<uint64_t>(done * step), dtype), srcName, mask, count,
                 srcRepStride);
        }
        IssueBarrier(Opcode::PipeBarrier, Pipe::V, where);
        if (withIndex) {
            ClimbWithIndex(repeats, step);
        } else {
            ClimbInPlace(repeats);
        }
    }

    /// Writes to dst the extreme of two values: the value in dst, and the extreme of the tail at
    /// `src`. `elements` is the number of elements before the tail.
    void ReduceTail(const Operand& src, int32_t tail, int32_t elements) {
        SyncPipes(HardEvent::V_S, where);
        const uint32_t bodyValue = Load(dst);
        const uint32_t bodyIndex = withIndex ? Load(DstIndex()) : 0;
        Reduce(src, Arg::Src, Mask::Of(tail), 1, 8);
        SyncPipes(HardEvent::V_S, where);
        const uint32_t tailValue = Load(dst);
        const uint32_t tailIndex = withIndex ? Load(DstIndex()) : 0;
        Store(work, bodyValue);
        Store(WorkAt(1), tailValue);
        SyncPipes(HardEvent::S_V, where);
        Reduce(work, Arg::SharedTmpBuffer, Mask::Of(2), 1, 8);
        if (!withIndex) {
            return;
        }
        SyncPipes(HardEvent::V_S, where);
        const bool tailWins = Load(DstIndex()) == 1;
        StoreIndex(tailWins ? static_cast<uint32_t>(elements) + tailIndex : bodyIndex);
        ReleaseScalar(where);
    }

    Operand WorkAt(uint64_t elements) const { return At(work, elements, dtype); }
    Operand DstIndex() const { return At(dst, 1, dtype); }
    uint32_t Load(const Operand& from) const { return LoadElement(api, from, dtype, where); }
    void Store(const Operand& to, uint32_t bits) const {
        StoreElement(api, to, bits, dtype, where);
    }

    void Step(const Operand& to, Arg toName, const Operand& from, Arg fromName, const Mask& mask,
              int32_t repeats, int32_t stride) const {
        Run({api, op, Group::Repeat, dtype, to, from, mask, repeats, 1, 1, stride,
             ReduceOrder::ORDER_VALUE_INDEX, toName, fromName},
            where);
    }

    /// Reduces one repeat. With an index, the vector unit writes dst itself, and the scalar unit
    /// does not wait for this write.
    void ReduceOne(const Operand& src, Arg srcName, const Mask& mask, int32_t srcRepStride) {
        if (withIndex) {
            Step(dst, Arg::Dst, src, srcName, mask, 1, srcRepStride);
            return;
        }
        Step(work, Arg::SharedTmpBuffer, src, srcName, mask, 1, srcRepStride);
        MoveValue(work);
    }

    void MoveValue(const Operand& from) {
        SyncPipes(HardEvent::V_S, where);
        Store(dst, Load(from));
        ReleaseScalar(where);
    }

    /// Returns a mask of the values of `pairs` pairs: every second element from the first on.
    static Mask Values(int32_t pairs) {
        constexpr uint64_t kEven = 0x5555555555555555;
        const auto part = [](int32_t count) {
            return count >= 32 ? kEven : (count > 0 ? kEven & ((uint64_t{1} << 2 * count) - 1) : 0);
        };
        const uint64_t bits[2] = {part(pairs), part(pairs - 32)};
        return Mask::Of(bits);
    }

    /// Reduces `pairs` pairs at `from` to fewer pairs at `to`. Returns the number of pairs at `to`.
    int32_t Climb(uint64_t from, uint64_t to, int32_t pairs) const {
        const int32_t perLevel = perRepeat / static_cast<int32_t>(kPair);
        const int32_t whole = pairs / perLevel;
        if (whole > 0) {
            Step(WorkAt(to), Arg::SharedTmpBuffer, WorkAt(from), Arg::SharedTmpBuffer,
                 Values(perLevel), whole, 8);
        }
        const int32_t left = pairs % perLevel;
        if (left > 0) {
            Step(WorkAt(to + static_cast<uint64_t>(whole) * kPair), Arg::SharedTmpBuffer,
                 WorkAt(from + static_cast<uint64_t>(whole) * static_cast<uint64_t>(perRepeat)),
                 Arg::SharedTmpBuffer, Values(left), 1, 8);
        }
        return whole + (left > 0 ? 1 : 0);
    }

    void ClimbInPlace(int32_t pairs) {
        const int32_t perLevel = perRepeat / static_cast<int32_t>(kPair);
        pairs = Climb(0, 0, pairs);
        while (pairs > perLevel) {
            IssueBarrier(Opcode::PipeBarrier, Pipe::V, where);
            pairs = Climb(0, 0, pairs);
        }
        IssueBarrier(Opcode::PipeBarrier, Pipe::V, where);
        Climb(0, 0, pairs);
        MoveValue(work);
    }

    /// Reduces level by level; each level has its own blocks of `work`. Then follows the indices
    /// from the last level to the first: each index points to an element of the level before.
    void ClimbWithIndex(int32_t repeats, int64_t step) {
        constexpr uint32_t kLevels = 8;
        const uint64_t perBlock = kBlockBytes / SizeOf(dtype);
        uint64_t start[kLevels] = {};
        uint32_t top = 0;
        for (int32_t pairs = repeats; pairs > 1; ++top) {
            if (top > 0) {
                IssueBarrier(Opcode::PipeBarrier, Pipe::V, where);
            }
            const uint64_t end = start[top] + static_cast<uint64_t>(pairs) * kPair;
            start[top + 1] = (end + perBlock - 1) / perBlock * perBlock;
            pairs = Climb(start[top], start[top + 1], pairs);
        }
        SyncPipes(HardEvent::V_S, where);
        uint64_t pair = 0;
        for (uint32_t level = top; level > 0; --level) {
            const uint32_t element = Load(WorkAt(start[level] + pair * kPair + 1));
            pair = (pair * static_cast<uint64_t>(perRepeat) + element) / kPair;
        }
        const uint32_t inRepeat = Load(WorkAt(pair * kPair + 1));
        Store(dst, Load(WorkAt(start[top])));
        StoreIndex(static_cast<uint32_t>(pair * static_cast<uint64_t>(step)) + inRepeat);
        ReleaseScalar(where);
    }

    void StoreIndex(uint32_t index) const {
        if (dtype == Dtype::F16 && index > UINT16_MAX && Self().strict) {
            Fail("T433",
                 "index out of range: %s found its result at element %u, half holds indices up to "
                 "65535\n  try: parts of at most 65536 elements, or float",
                 Name(api), index);
        }
        Store(DstIndex(), index);
    }
};

}  // namespace

void RunExtremeOfRepeats(Opcode api, Op op, Dtype dtype, const Operand& dst, const Operand& src,
                         const Operand& work, const Mask& mask, int32_t repeats,
                         int32_t srcRepStride, bool withIndex, Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aiv, where)) {
        return;
    }
    RequireNormalMode(core, api);
    CheckRepeats(api, repeats);
    const Steps steps(core, api);
    if (repeats > 0 && !mask.Empty()) {
        ExtremeSteps{api, op, dtype, dst, work, withIndex, where}.Reduce(src, Arg::Src, mask,
                                                                         repeats, srcRepStride);
    }
}

void RunExtremeOfCount(Opcode api, Op op, Dtype dtype, const Operand& dst, const Operand& src,
                       const Operand& work, int32_t count, bool withIndex, Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aiv, where)) {
        return;
    }
    RequireNormalMode(core, api);
    CheckCount(core, api, dtype, count);
    if (count == 0) {
        return;
    }
    const Steps group(core, api);
    ExtremeSteps steps{api, op, dtype, dst, work, withIndex, where};
    const int32_t repeats = count / steps.perRepeat;
    const int32_t body = repeats * steps.perRepeat;
    if (repeats == 0) {
        steps.Reduce(src, Arg::Src, Mask::Of(count), 1, 8);
        return;
    }
    steps.Reduce(src, Arg::Src, Mask::Of(steps.perRepeat), repeats, 8);
    if (count > body) {
        steps.ReduceTail(At(src, static_cast<uint64_t>(body), dtype), count - body, body);
    }
}

}  // namespace twin::reduce
