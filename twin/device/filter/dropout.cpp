// SPDX-License-Identifier: Apache-2.0
#include "device/filter/dropout.h"

#include <cstring>
#include <vector>

#include "core/float16.h"
#include "core/library_steps.h"
#include "core/tmp_size.h"
#include "device/lanes/arithmetic.h"
#include "device/library/call.h"

namespace twin::advanced {
namespace {

using AscendC::DropOutShapeInfo;

constexpr uint32_t kBits = 8;

struct DropOutMask {
    static constexpr uint32_t kBits = 1, kGaps = 2, kReady = 4;
};

bool ByBit(uint32_t mode) { return mode >= AscendC::DROPOUT_MODE_BIT_ALIGN; }
bool Gaps(uint32_t mode) {
    return mode == AscendC::DROPOUT_MODE_BYTE_MISALIGN ||
           mode == AscendC::DROPOUT_MODE_BIT_MISALIGN;
}

uint32_t ModeOf(uint32_t given, const DropOutShapeInfo& info) {
    if (given != 0) {
        return given;
    }
    if (info.srcLastAxis <= info.maskLastAxis) {
        return info.srcLastAxis < info.maskLastAxis ? AscendC::DROPOUT_MODE_BYTE_MISALIGN
                                                    : AscendC::DROPOUT_MODE_BYTE_ALIGN;
    }
    return info.srcLastAxis == info.maskLastAxis * kBits ? AscendC::DROPOUT_MODE_BIT_ALIGN
                                                         : AscendC::DROPOUT_MODE_BIT_MISALIGN;
}

/// Refuses empty shapes and, for masks with bytes to skip, rows of unsupported sizes (T703).
void CheckInfo(const DropOutShapeInfo& info, uint32_t mode) {
    const uint32_t perWord = ByBit(mode) ? 16 : 2;
    const uint32_t valid = ByBit(mode) ? info.srcLastAxis / kBits : info.srcLastAxis;
    const bool empty = info.firstAxis == 0 || info.srcLastAxis == 0 || info.maskLastAxis == 0;
    const bool words = info.srcLastAxis % perWord == 0 && info.maskLastAxis % kBlockBytes == 0 &&
                       valid <= info.maskLastAxis;
    if (empty || (Gaps(mode) && !words)) {
        Fail("T703",
             "shape not taken: DropOut of %u rows of %u elements with %u B of mask each, mode %u; "
             "none is 0, and with bytes to skip rows of the mask are a multiple of 32 B and hold a "
             "multiple of %u elements\n  try: pad the mask's rows",
             info.firstAxis, info.srcLastAxis, info.maskLastAxis, mode, perWord);
    }
}

/// Checks that CMPMASK, the value of dropped elements, is 0, as isInitBitMode promises (T704).
void CheckRegister(const Core& core) {
    if ((core.cmpMask[0] | core.cmpMask[1]) != 0 && core.strict) {
        Fail("T704",
             "register not prepared: DropOut<T, true> takes dropped elements from CMPMASK, which "
             "holds 0x%016llx%016llx, expected 0\n  try: isInitBitMode false",
             static_cast<unsigned long long>(core.cmpMask[1]),
             static_cast<unsigned long long>(core.cmpMask[0]));
    }
}

/// The place of an element's mask: a byte, and the bit in it if the mask consists of bits.
struct MaskPlace {
    uint64_t byte;
    uint32_t bit;
};

MaskPlace PlaceOf(uint64_t element, const DropOutShapeInfo& info, uint32_t mode) {
    const uint64_t row = element / info.srcLastAxis;
    const uint64_t column = element % info.srcLastAxis;
    if (!ByBit(mode)) {
        return {Gaps(mode) ? row * info.maskLastAxis + column : element, 0};
    }
    const uint64_t bit = Gaps(mode) ? row * info.maskLastAxis * kBits + column : element;
    return {bit / kBits, static_cast<uint32_t>(bit % kBits)};
}

/// Returns the mask as one byte per element; a mask of bits becomes bytes of 0 and 1.
std::vector<uint8_t> Kept(const uint8_t* mask, const DropOutShapeInfo& info, uint32_t mode) {
    std::vector<uint8_t> kept(uint64_t{info.firstAxis} * info.srcLastAxis);
    for (uint64_t at = 0; at < kept.size(); ++at) {
        const MaskPlace place = PlaceOf(at, info, mode);
        kept[at] = ByBit(mode) ? mask[place.byte] >> place.bit & 1U : mask[place.byte];
    }
    return kept;
}

/// Returns the mark of each element's mask (see ByteMarks).
std::vector<uint8_t> MarksOfMask(const ByteMarks& marks, const uint8_t* mask, uint64_t count,
                                 const DropOutShapeInfo& info, uint32_t mode) {
    std::vector<uint8_t> result(count);
    for (uint64_t at = 0; at < count; ++at) {
        const MaskPlace place = PlaceOf(at, info, mode);
        const uint8_t* byte = mask + place.byte;
        const uint8_t bits = ByBit(mode) ? 1U << place.bit : UINT8_MAX;
        const bool invalid = (marks.InvalidBits(Memory::Ub, byte) & bits) != 0;
        result[at] = invalid ? *marks.Of(Memory::Ub, byte) : uint8_t{0};
    }
    return result;
}

/// Applies the mask. A bit chooses the element of `src` or `other`; a byte is a factor for `src`.
template <typename T, typename Of>
std::vector<T> Chosen(const uint8_t* src, const std::vector<uint8_t>& kept, uint32_t mode,
                      const uint64_t* other, Of of) {
    std::vector<T> values(kept.size());
    constexpr uint64_t kOthers = 16 / sizeof(T);
    for (uint64_t i = 0; i < kept.size(); ++i) {
        T element;
        T dropped;
        std::memcpy(&element, src + i * sizeof(T), sizeof(T));
        std::memcpy(&dropped, reinterpret_cast<const uint8_t*>(other) + i % kOthers * sizeof(T),
                    sizeof(T));
        values[i] = ByBit(mode) ? (kept[i] != 0 ? element : dropped) : of(element, kept[i]);
    }
    return values;
}

void Scale(uint8_t* dst, const uint8_t* src, Dtype dtype, const DropOutForm& form,
           const std::vector<uint8_t>& kept, uint32_t mode, const uint64_t* other) {
    const float factor = 1.0F / form.keepProb;
    const auto muls =
        lanes::BestArithmetic()
            .scalar[static_cast<size_t>(lanes::ScalarOp::Muls)][static_cast<size_t>(dtype)];
    if (dtype == Dtype::F32) {
        const auto values = Chosen<float>(
            src, kept, mode, other, [](float element, uint8_t times) { return element * times; });
        muls(dst, values.data(), &factor, values.size());
    } else {
        const auto values =
            Chosen<uint16_t>(src, kept, mode, other, [](uint16_t element, uint8_t times) {
                return FloatToHalf(HalfToFloat(element) * static_cast<float>(times));
            });
        const uint16_t half = FloatToHalf(factor);
        muls(dst, values.data(), &half, values.size());
    }
}

}  // namespace

void RunDropOut(Dtype dtype, const Operand& dst, const Operand& src, const Operand& mask,
                const DropOutForm& form, const DropOutShapeInfo& info, const Tmp& tmp,
                Location where) {
    Call call(Opcode::DropOut, where);
    if (!call) {
        return;
    }
    Core& core = call.core();
    const uint32_t mode = ModeOf(form.mode, info);
    CheckInfo(info, mode);
    const uint64_t count = uint64_t{info.firstAxis} * info.srcLastAxis;
    const uint64_t size = SizeOf(dtype);
    CallShape& shape = call.shape();
    shape.form = (ByBit(mode) ? DropOutMask::kBits : 0) | (Gaps(mode) ? DropOutMask::kGaps : 0) |
                 (form.bitsReady ? DropOutMask::kReady : 0);
    shape.rows = info.firstAxis;
    shape.columns = info.srcLastAxis;
    const uint64_t packed = ByBit(mode) ? (count + kBits - 1) / kBits : count;
    const uint64_t maskBytes = Gaps(mode) ? uint64_t{info.firstAxis} * info.maskLastAxis : packed;
    uint8_t* to = call.Write(Arg::DstLocal, dst, count * size);
    const uint8_t* from = call.Read(Arg::SrcLocal, src, count * size);
    const uint8_t* bits = call.Read(Arg::MaskLocal, mask, maskBytes, Gaps(mode));
    const TmpSize said = DropOutTmp(count);
    call.Take(tmp, {said.min, said.max});
    if (ByBit(mode) && !form.bitsReady) {
        core.cmpMask[0] = core.cmpMask[1] = 0;
        call.issue().Writes(Register::CmpMask);
    } else if (ByBit(mode)) {
        CheckRegister(core);
        call.issue().Reads(Register::CmpMask);
    }
    std::vector<uint8_t> kept;
    const auto follow = [&](const ByteMarks& marks) {
        // The results may overwrite the mask.
        const auto masks = MarksOfMask(marks, bits, kept.size(), info, mode);
        uint8_t* const dstMarks = marks.Of(Memory::Ub, to);
        const uint8_t* const srcMarks = marks.Of(Memory::Ub, from);
        for (uint64_t at = 0; at < kept.size(); ++at) {
            if (masks[at] != 0 || (ByBit(mode) && kept[at] == 0)) {
                std::memset(dstMarks + at * size, masks[at], size);
            } else {
                std::memmove(dstMarks + at * size, srcMarks + at * size, size);
            }
        }
    };
    call.issue().Follow(follow);
    call.Run(dtype, count, dst.address == mask.address ? Overlap::Library : Overlap::InPlace, [&] {
        kept = Kept(bits, info, mode);
        Scale(to, from, dtype, form, kept, mode, core.cmpMask);
        call.Saturate(to, dtype, count);
    });
}

}  // namespace twin::advanced

namespace twin {

void DropOutSteps(CallSteps s) {
    using Form = advanced::DropOutMask;
    const bool half = s.Half();
    const View dst = s.Operand(0), src = s.Operand(1), mask = s.Operand(2).As(Dtype::U8);
    if (s.Has(Form::kGaps)) {
        s.Unlisted({dst, src, mask});
        return s.Barrier();
    }
    if (s.Has(Form::kBits)) {
        if (!s.Has(Form::kReady)) {
            const View none = s.Buffer(Dtype::I16);
            s.Count(128).Muls(none, none);
            s.Count(8).SetCmpMask(none);
        }
        s.Select(dst, mask, src);
        return s.Muls(dst, dst);
    }
    const int64_t size = s.Scratch() / (half ? 2 : 6) / 32 * 32;
    const View x = s.Work(Dtype::F16, size), wide = s.Floats(size);
    s.Pieces(size, {dst, src, mask}, [&](CallSteps s, View dst, View src, View mask) {
        s.Cast(x, mask);
        s.If(!half).Cast(wide, x);
        s.Mul(dst, half ? x : wide, src);
        s.Muls(dst, dst);
    });
}

}  // namespace twin
