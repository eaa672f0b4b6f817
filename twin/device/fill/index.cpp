// SPDX-License-Identifier: Apache-2.0
// CreateVecIndex and ArithProgression are library code on the chip: the scalar unit writes the
// first block, Adds writes the rest. The twin issues the same instructions, so that rounding, the
// mask register and the instruction stream are the same.
#include <algorithm>
#include <cstring>

#include "device/fill/patterns.h"
#include "device/issue/issue.h"
#include "device/issue/operand.h"
#include "device/sync/events.h"

namespace twin::fill {
namespace {

template <typename T>
T FromFloat(float value) {
    if constexpr (std::is_integral<T>::value) {
        return static_cast<T>(static_cast<int64_t>(value));
    } else {
        return T(value);
    }
}

/// Issues the instructions with which the library fills one destination. The library writes whole
/// blocks, so the constructor extends `dst` to the end of the tensor's last block.
template <typename T>
class Filler {
public:
    static constexpr uint32_t kBlock = kBlockBytes / sizeof(T);
    static constexpr uint32_t kRepeat = kRepeatBytes / sizeof(T);

    Filler(Opcode api, const Operand& dst, Location where)
        : core_(Self()), steps_(core_, api), api_(api), dst_(dst), where_(where) {
        RequireMemory(dst_, Memory::Ub, Name(api_), "dst");
        dst_.bytes = (dst_.bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
    }

    /// Stores an element until `Publish` writes it to UB; there is room for one repeat of elements.
    void Store(uint64_t element, T value) {
        end_ = std::max(end_, element + 1);
        elements_[stored_] = element;
        values_[stored_++] = value;
    }
    /// Writes the stored elements to UB. If `flags` is true, the vector unit waits for this write.
    void Publish(bool flags) {
        if (stored_ != 0) {
            WriteStored();
        }
        if (flags) {
            SyncPipes(AscendC::HardEvent::S_V, where_);
        }
    }
    /// Issues an Adds that writes one repeat: dst[to + i] = dst[from + i] + value.
    void Advance(uint64_t to, uint64_t from, T value, const vec::Extent& extent,
                 uint32_t blockStride = 1) {
        AscendC::UnaryRepeatParams strides;
        strides.dstBlkStride = strides.srcBlkStride = static_cast<uint16_t>(blockStride);
        vec::RunScalar(Opcode::Adds, lanes::ScalarOp::Adds, kDtypeOf<T>, Behind(to), Behind(from),
                       &value, extent, strides, where_);
    }
    /// Issues a barrier of the vector pipe. The library has one between instructions, because each
    /// Adds reads what the Adds before it wrote.
    void Barrier() { IssueBarrier(Opcode::PipeBarrier, Pipe::V, where_); }
    /// Does what the library does for a mask of less than one block: dst[i] = dst[i - elements] +
    /// kBlock. Strict mode refuses such masks (T429).
    void AdvanceFromBefore(uint64_t elements, uint64_t mask) {
        if (core_.strict) {
            Fail("T429",
                 "mask below one block: CreateVecIndex with mask %llu; the library then overwrites "
                 "the first numbers with what lies %llu B before dst, plus %u\n  try: a mask of at "
                 "least %u, or the form with an element count",
                 static_cast<unsigned long long>(mask),
                 static_cast<unsigned long long>(elements * sizeof(T)), kBlock, kBlock);
        }
        Operand from = dst_;
        from.address -= static_cast<uint32_t>(elements * sizeof(T));
        from.bytes = kBlockBytes;
        const T value = FromFloat<T>(kBlock);
        vec::RunScalar(Opcode::Adds, lanes::ScalarOp::Adds, kDtypeOf<T>, dst_, from, &value,
                       vec::Extent::Mask(mask, 1, true), AscendC::UnaryRepeatParams(), where_);
        Barrier();
    }
    Core& core() { return core_; }

private:
    Operand Behind(uint64_t element) const { return twin::Advance(dst_, element * sizeof(T)); }

    void WriteStored() {
        const auto pieces = [this](const PieceVisitor& visit) {
            for (uint32_t i = 0; i < stored_; ++i) {
                visit(0, dst_.address + elements_[i] * sizeof(T), sizeof(T));
            }
        };
        const uint64_t span = end_ * sizeof(T);
        Issue issue({api_, Pipe::S}, core_);
        issue.RecordAs(Opcode::SetValue);
        issue.Type(kDtypeOf<T>);
        issue.Work(0, stored_);
        uint8_t* to = issue.Write(Arg::Dst, dst_, Memory::Ub, Runs{span}, span, pieces, sizeof(T));
        issue.Ready(Overlap::Free);
        for (uint32_t i = 0; i < stored_; ++i) {
            std::memcpy(to + elements_[i] * sizeof(T), values_ + i, sizeof(T));
        }
        issue.Done();
    }

    Core& core_;
    const Steps steps_;
    Opcode api_;
    Operand dst_;
    Location where_;
    uint32_t stored_ = 0;
    uint64_t end_ = 0;
    uint64_t elements_[kRepeat];
    T values_[kRepeat];
};

vec::Extent First(uint64_t elements) { return vec::Extent::Mask(elements, 1, true); }

/// Returns first + i, computed in float like on the chip; strict mode refuses an inexact int32_t.
template <typename T>
T IndexValue(const Core& core, T first, uint32_t i) {
    const float sum = static_cast<float>(first) + static_cast<float>(i);
    if constexpr (std::is_same<T, int32_t>::value) {
        const int64_t exact = int64_t{first} + i;
        if (core.strict && static_cast<double>(sum) != static_cast<double>(exact)) {
            Fail("T428",
                 "index not exact: CreateVecIndex of int32_t from %d; the library computes the "
                 "first numbers in float, which makes %lld of %lld\n  try: start at 0 and Adds the "
                 "first value",
                 first, static_cast<long long>(sum), static_cast<long long>(exact));
        }
    }
    return FromFloat<T>(sum);
}

template <typename T>
void IndexCount(Filler<T>& filler, T first, uint32_t count) {
    using F = Filler<T>;
    if (count == 0) {
        return;
    }
    for (uint32_t i = 0; i < F::kBlock; ++i) {
        filler.Store(i, IndexValue(filler.core(), first, i));
    }
    filler.Publish(true);
    const uint64_t inFirst = std::min<uint64_t>(count, F::kRepeat);
    for (uint64_t at = F::kBlock; at < inFirst; at += F::kBlock) {
        filler.Advance(at, at - F::kBlock, FromFloat<T>(F::kBlock),
                       First(std::min<uint64_t>(F::kBlock, inFirst - at)));
        filler.Barrier();
    }
    for (uint64_t at = F::kRepeat; at < count; at += F::kRepeat) {
        filler.Advance(at, at - F::kRepeat, FromFloat<T>(F::kRepeat),
                       First(std::min<uint64_t>(F::kRepeat, count - at)));
        if (count - at >= F::kRepeat) {  // the library has no barrier after an incomplete repeat
            filler.Barrier();
        }
    }
}

template <typename T>
void IndexMaskCount(Filler<T>& filler, T first, const vec::Extent& extent, uint32_t blockStride,
                    uint32_t repeatStride) {
    using F = Filler<T>;
    const uint64_t mask = extent.count;
    if (mask > F::kRepeat) {
        Fail("T403", "mask out of range: CreateVecIndex with mask %llu, a repeat has %u elements",
             static_cast<unsigned long long>(mask), F::kRepeat);
    }
    if (mask == 0 || extent.repeats == 0) {
        return;
    }
    for (uint32_t i = 0; i < std::min<uint64_t>(mask, F::kBlock); ++i) {
        filler.Store(i, IndexValue(filler.core(), first, i));
    }
    filler.Publish(true);
    const uint64_t step = uint64_t{blockStride} * F::kBlock;
    if (mask < F::kBlock) {
        filler.AdvanceFromBefore(step, mask);
    }
    for (uint64_t done = F::kBlock, block = 1; done < mask; done += F::kBlock, ++block) {
        filler.Advance(block * step, (block - 1) * step, FromFloat<T>(F::kBlock),
                       First(std::min<uint64_t>(F::kBlock, mask - done)));
        filler.Barrier();
    }
    const uint64_t stride = uint64_t{repeatStride} * F::kBlock;
    for (uint32_t repeat = 1; repeat < extent.repeats; ++repeat) {
        filler.Advance(repeat * stride, (repeat - 1) * stride, FromFloat<T>(F::kRepeat),
                       First(mask), blockStride);
        filler.Barrier();
    }
}

template <typename T>
void IndexMaskBits(Filler<T>& filler, T first, const vec::Extent& extent, uint32_t blockStride,
                   uint32_t repeatStride) {
    using F = Filler<T>;
    if (extent.repeats == 0) {
        return;
    }
    for (uint32_t i = 0; i < F::kRepeat; ++i) {
        if ((i < 64 ? extent.low >> i : extent.high >> (i - 64)) & 1U) {
            filler.Store(uint64_t{i / F::kBlock} * blockStride * F::kBlock + i % F::kBlock,
                         IndexValue(filler.core(), first, i));
        }
    }
    filler.Publish(true);
    vec::Extent one = extent;
    one.repeats = 1;
    const uint64_t stride = uint64_t{repeatStride} * F::kBlock;
    for (uint32_t repeat = 1; repeat < extent.repeats; ++repeat) {
        filler.Advance(repeat * stride, (repeat - 1) * stride, FromFloat<T>(F::kRepeat), one,
                       blockStride);
        filler.Barrier();
    }
}

template <typename T>
void Index(const Operand& dst, const void* first, const vec::Extent& extent, uint32_t blockStride,
           uint32_t repeatStride, Location where) {
    T start;
    std::memcpy(&start, first, sizeof(T));
    Filler<T> filler(Opcode::CreateVecIndex, dst, where);
    if (extent.form == vec::Extent::Form::Count) {
        IndexCount<T>(filler, start, static_cast<uint32_t>(extent.count));
    } else if (extent.form == vec::Extent::Form::MaskCount) {
        IndexMaskCount<T>(filler, start, extent, blockStride, repeatStride);
    } else {
        IndexMaskBits<T>(filler, start, extent, blockStride, repeatStride);
    }
}

/// Returns first + diff * i like the scalar unit: half is computed in float, integers wrap around.
template <typename T>
T Term(T first, T diff, uint32_t i) {
    if constexpr (std::is_integral<T>::value) {
        return static_cast<T>(static_cast<uint32_t>(first) + static_cast<uint32_t>(diff) * i);
    } else {
        const float product = static_cast<float>(diff) * static_cast<float>(i);
        return T(static_cast<float>(first) + product);
    }
}

vec::Extent Lit(Core& core, uint64_t low, uint64_t high) {
    core.mask.low = low;
    core.mask.high = high;
    return vec::Extent::Mask(uint64_t{0}, 1, false);
}

vec::Extent LitFirst(Core& core, uint64_t count) {
    const uint64_t low = count >= 64 ? UINT64_MAX : (uint64_t{1} << count) - 1;
    const uint64_t high = count >= 128 ? UINT64_MAX
                          : count > 64 ? (uint64_t{1} << (count - 64)) - 1
                                       : 0;
    return Lit(core, low, high);
}

template <typename T>
void Progression(const Operand& dst, const void* firstPointer, const void* diffPointer,
                 int32_t count, Location where) {
    using F = Filler<T>;
    T first;
    T diff;
    std::memcpy(&first, firstPointer, sizeof(T));
    std::memcpy(&diff, diffPointer, sizeof(T));
    F filler(Opcode::ArithProgression, dst, where);
    const auto total = static_cast<uint64_t>(count);
    for (uint32_t i = 0; i < std::min<uint64_t>(total, F::kBlock); ++i) {
        filler.Store(i, Term(first, diff, i));
    }
    if (total <= F::kBlock) {
        return filler.Publish(false);
    }
    filler.Publish(true);
    filler.Barrier();
    const uint64_t inFirst = std::min<uint64_t>(total, F::kRepeat);
    const T blockStep = FromFloat<T>(static_cast<float>(diff) * static_cast<float>(F::kBlock));
    for (uint64_t at = F::kBlock; at < inFirst; at += F::kBlock) {
        filler.Advance(at, at - F::kBlock, blockStep, LitFirst(filler.core(), F::kBlock));
        filler.Barrier();
    }
    if (total > F::kRepeat) {
        filler.Barrier();  // the library has one more barrier after each change of the mask
    }
    const T repeatStep = FromFloat<T>(static_cast<float>(diff) * static_cast<float>(F::kRepeat));
    for (uint64_t at = F::kRepeat; at < total; at += F::kRepeat) {
        const uint64_t left = (total - at + F::kBlock - 1) / F::kBlock * F::kBlock;
        if (total - at < F::kRepeat) {
            filler.Barrier();
        }
        const vec::Extent extent = left >= F::kRepeat ? Lit(filler.core(), UINT64_MAX, UINT64_MAX)
                                                      : LitFirst(filler.core(), left);
        filler.Advance(at, at - F::kRepeat, repeatStep, extent);
        filler.Barrier();
    }
}

}  // namespace

void RunVecIndex(Dtype dtype, const Operand& dst, const void* first, const vec::Extent& extent,
                 uint32_t blockStride, uint32_t repeatStride, Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aiv, where)) {
        return;
    }
    if (extent.form == vec::Extent::Form::Count && extent.count > core.UbBytes()) {
        Fail("T402", "count out of range: CreateVecIndex of %llu elements",
             static_cast<unsigned long long>(extent.count));
    }
    const auto run = dtype == Dtype::F16   ? Index<half>
                     : dtype == Dtype::F32 ? Index<float>
                     : dtype == Dtype::I16 ? Index<int16_t>
                                           : Index<int32_t>;
    run(dst, first, extent, blockStride, repeatStride, where);
}

void RunProgression(Dtype dtype, const Operand& dst, const void* first, const void* diff,
                    int32_t count, Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aiv, where)) {
        return;
    }
    if (count < 0 || static_cast<uint64_t>(count) > core.UbBytes()) {
        Fail("T402", "count out of range: ArithProgression of %d elements", count);
    }
    const auto run = dtype == Dtype::F16   ? Progression<half>
                     : dtype == Dtype::F32 ? Progression<float>
                     : dtype == Dtype::I16 ? Progression<int16_t>
                                           : Progression<int32_t>;
    run(dst, first, diff, count, where);
}

}  // namespace twin::fill
