// SPDX-License-Identifier: Apache-2.0
#include "device/vec/cast.h"

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstring>

#include "device/lanes/arithmetic.h"
#include "device/lanes/convert.h"
#include "device/vec/cast_deq.h"
#include "device/vec/execute.h"
#include "device/vec/mask.h"

namespace twin::vec {
namespace {

const char* RoundName(AscendC::RoundMode mode) {
    static const char* const kNames[] = {"CAST_NONE",  "CAST_RINT",  "CAST_FLOOR", "CAST_CEIL",
                                         "CAST_ROUND", "CAST_TRUNC", "CAST_ODD"};
    const auto index = static_cast<size_t>(mode);
    return index < 7 ? kNames[index] : "?";
}

bool IsFloat(Dtype dtype) {
    return dtype == Dtype::F16 || dtype == Dtype::Bf16 || dtype == Dtype::F32;
}

/// Returns the accepted rounding modes: bit m for RoundMode m. Source: the Cast page for A2/A3.
uint32_t AcceptedRounding(Dtype to, Dtype from) {
    constexpr uint32_t kNone = 1U << 0;
    constexpr uint32_t kDirected = 0x3EU;  // RINT FLOOR CEIL ROUND TRUNC
    constexpr uint32_t kOdd = 1U << 6;
    if (to == Dtype::F16) {
        const bool exact = from == Dtype::I4 || from == Dtype::I8 || from == Dtype::U8;
        return exact ? kNone : kNone | kDirected | (from == Dtype::F32 ? kOdd : 0U);
    }
    if (from == Dtype::F16) {
        const bool narrow = to == Dtype::I4 || to == Dtype::I8 || to == Dtype::U8;
        return to == Dtype::F32 ? kNone : (narrow ? kNone | kDirected : kDirected);
    }
    if (!IsFloat(from)) {
        if (to != Dtype::F32 || from == Dtype::I16) {
            return kNone;
        }
        return from == Dtype::I32 ? kNone | kDirected : kDirected;
    }
    return from == Dtype::Bf16 && to == Dtype::F32 ? kNone : kDirected;
}

void CheckRounding(Dtype to, Dtype from, AscendC::RoundMode mode) {
    constexpr uint32_t kRoundModes = 7;
    const uint32_t accepted = AcceptedRounding(to, from);
    const auto number = static_cast<uint32_t>(mode);
    if (number < kRoundModes && (accepted >> number & 1U) != 0) {
        return;
    }
    if (number >= kRoundModes) {
        Fail("T406", "no such rounding mode: Cast from %s to %s with RoundMode %u, expected 0 to 6",
             Name(from), Name(to), number);
    }
    Fail("T406",
         "rounding mode not supported: Cast from %s to %s with %s; the chip issues no instruction "
         "for it and"
         " the destination keeps its old data\n  try: %s",
         Name(from), Name(to), RoundName(mode), (accepted & 1U) != 0 ? "CAST_NONE" : "CAST_RINT");
}

bool InPairs(uint64_t low, uint64_t high) {
    constexpr uint64_t kEven = 0x5555555555555555U;
    return ((low ^ (low >> 1)) & kEven) == 0 && ((high ^ (high >> 1)) & kEven) == 0;
}

/// Checks that the instruction uses both int4b_t of a byte or neither of the two (T414).
void CheckPairs(const Core& core, const Extent& extent) {
    const bool counted = extent.form == Extent::Form::Count ||
                         extent.form == Extent::Form::MaskCount ||
                         (extent.form == Extent::Form::MaskRegister && core.mask.counter);
    if (counted) {
        const uint64_t count =
            extent.form == Extent::Form::MaskRegister ? core.mask.low : extent.count;
        if (count % 2 != 0) {
            Fail("T414",
                 "int4b_t in pairs: Cast of %" PRIu64
                 " elements, expected an even number: two share a byte",
                 count);
        }
        return;
    }
    const bool bits = extent.form == Extent::Form::MaskBits;
    const uint64_t low = bits ? extent.low : core.mask.low;
    const uint64_t high = bits ? extent.high : core.mask.high;
    if (!InPairs(low, high)) {
        Fail("T414",
             "int4b_t in pairs: Cast with mask 0x%016" PRIx64 "%016" PRIx64
             ", expected bits 0-1, 2-3, ... to be alike: two elements share a byte",
             high, low);
    }
}

constexpr uint32_t kLanes = AscendC::VDEQ_TENSOR_SIZE;
constexpr uint32_t kOffsetBit = 37;
constexpr uint32_t kOffsetMask = 0x1FF;
constexpr uint32_t kSignBit = 46;
constexpr uint32_t kAddressMask = 0x3FFF;  ///< mask for the table's address in units of 32 B

struct Parameters {
    float scale;
    float offset;
    bool isSigned;
};

/// Unpacks one parameter set of CastDeq. The hardware reads ten mantissa bits of the scale.
Parameters Unpack(uint64_t bits) {
    const auto offset = static_cast<int32_t>(bits >> kOffsetBit & kOffsetMask);
    return Parameters{FloatOf(static_cast<uint32_t>(bits) & 0xFFFFE000U),
                      static_cast<float>((offset ^ 0x100) - 0x100), (bits >> kSignBit & 1U) != 0};
}

uint8_t Quantize(int16_t value, const Parameters& by) {
    const float exact = static_cast<float>(value) * by.scale + by.offset;
    const float rounded = std::nearbyintf(exact);
    const float low = by.isSigned ? -128.0F : 0.0F;
    const float high = by.isSigned ? 127.0F : 255.0F;
    const float bounded = rounded != rounded ? 0.0F : std::min(std::max(rounded, low), high);
    return static_cast<uint8_t>(static_cast<int32_t>(bounded));
}

void LoadParameters(Issue& issue, const DeqForm& form, Parameters* lanes) {
    const Core& core = issue.core();
    const DeqScaleKind wanted = form.isVector ? DeqScaleKind::Tensor : DeqScaleKind::Scalar;
    if (core.deqKind != wanted) {
        Fail("T410", "scale not set: CastDeq with isVecDeq = %s takes its parameters from %s%s",
             form.isVector ? "true" : "false",
             form.isVector ? "SetDeqScale(vdeq, vdeqInfo)" : "SetDeqScale(scale, offset, signMode)",
             core.deqKind == DeqScaleKind::None ? ", which was not called"
                                                : "; the last call was another form");
    }
    issue.Reads(Register::DeqScale);
    uint64_t words[kLanes];
    std::fill_n(words, kLanes, core.deqScale);
    if (form.isVector) {
        const Operand table = UbPlace(core.deqScale * kBlockBytes, sizeof(words));
        // All blocks of the source use the same words.
        const Level blocks = {core.UbBytes() / kBlockBytes, 0};
        std::memcpy(words, issue.Read(Arg::Vdeq, table, Memory::Ub, Runs{sizeof(words), blocks}),
                    sizeof(words));
        issue.As(Dtype::U64);
    }
    std::transform(words, words + kLanes, lanes, Unpack);
}

void CheckSign(const Core& core, Dtype to, const Parameters* lanes) {
    const bool isSigned = to == Dtype::I8;
    for (uint32_t i = 0; core.strict && i < kLanes; ++i) {
        if (lanes[i].isSigned != isSigned) {
            Fail(
                "T413",
                "sign mode differs: CastDeq to %s with signMode = %s (entry %u)\n  try: signMode = "
                "true for int8_t, false for uint8_t",
                Name(to), lanes[i].isSigned ? "true" : "false", i);
        }
    }
}

}  // namespace

float RequireHalfScale(const Core& core, const char* api) {
    if (core.deqKind != DeqScaleKind::Half) {
        Fail("T410",
             "scale not set: %s from int32_t to half multiplies by the scale register, which holds "
             "%s\n  try: SetDeqScale((half)1.0) before it",
             api, core.deqKind == DeqScaleKind::None ? "nothing yet" : "parameters of CastDeq");
    }
    return HalfToFloat(static_cast<uint16_t>(core.deqScale));
}

void RunDequant(Opcode api, const Operand& dst, const Operand& src, const Extent& extent,
                const AscendC::UnaryRepeatParams& strides, Location where) {
    Issue issue(api, CoreKind::Aiv, where);
    if (!issue) {
        return;
    }
    const float scale = RequireHalfScale(issue.core(), issue.api());
    issue.Reads(Register::DeqScale);
    const auto function = lanes::BestCasts().int32ToHalf;
    VecOperand operands[] = {
        {Arg::Dst, dst, Dtype::F16, strides.dstBlkStride, strides.dstRepStride, true},
        {Arg::Src, src, Dtype::I32, strides.srcBlkStride, strides.srcRepStride, false}};
    Execute(issue, operands, 2, extent,
            [function, scale](uint8_t* const* p, uint64_t n) { function(p[0], p[1], scale, n); });
}

void RunCast(Dtype to, Dtype from, AscendC::RoundMode mode, const Operand& dst, const Operand& src,
             const Extent& extent, const AscendC::UnaryRepeatParams& strides, Location where) {
    if (to == Dtype::F16 && from == Dtype::I32) {
        // The result is x * scale, rounded to nearest even, whatever the rounding mode is.
        if (mode > AscendC::RoundMode::CAST_ODD && Self().BeginOn(CoreKind::Aiv, where)) {
            CheckRounding(to, from, mode);
        }
        RunDequant(Opcode::Cast, dst, src, extent, strides, where);
        return;
    }
    Issue issue(Opcode::Cast, CoreKind::Aiv, where);
    if (!issue) {
        return;
    }
    const Core& core = issue.core();
    const auto row = static_cast<size_t>(to);
    const auto column = static_cast<size_t>(from);
    const lanes::CastTable& table = lanes::BestCasts();
    const bool truncate = core.CtrlBit(kCtrlTruncate) && table.truncating[row][column] != nullptr;
    const auto function = Require(
        truncate ? table.truncating[row][column] : table.cast[row][column], Opcode::Cast, from);
    CheckRounding(to, from, mode);
    if (to == Dtype::I4 || from == Dtype::I4) {
        CheckPairs(core, extent);
    }
    VecOperand operands[] = {
        {Arg::Dst, dst, to, strides.dstBlkStride, strides.dstRepStride, true},
        {Arg::Src, src, from, strides.srcBlkStride, strides.srcRepStride, false}};
    const auto round = static_cast<lanes::Round>(mode);
    Execute(issue, operands, 2, extent,
            [function, round](uint8_t* const* p, uint64_t n) { function(p[0], p[1], n, round); });
}

uint16_t ScalarToHalfOdd(float value) { return NarrowHalfDirected(value, Round::Odd).bits; }

int32_t ScalarToInt32(float value, AscendC::RoundMode mode) {
    const auto exact = static_cast<double>(value);
    const double rounded = mode == AscendC::RoundMode::CAST_FLOOR   ? std::floor(exact)
                           : mode == AscendC::RoundMode::CAST_CEIL  ? std::ceil(exact)
                           : mode == AscendC::RoundMode::CAST_ROUND ? std::round(exact)
                                                                    : std::nearbyint(exact);
    if (std::isnan(rounded)) {
        return 0;
    }
    return rounded >= 0x1p31 ? INT32_MAX
                             : (rounded < -0x1p31 ? INT32_MIN : static_cast<int32_t>(rounded));
}

void SetDeqScale(DeqScaleKind kind, uint64_t value, Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aiv, where)) {
        return;
    }
    core.deqKind = kind;
    core.deqScale = value;
    if (kind == DeqScaleKind::Tensor) {
        core.CheckLocal(Memory::Ub, value, kLanes * sizeof(uint64_t), kBlockBytes, "SetDeqScale",
                        "vdeq");
        core.deqScale = value / kBlockBytes & kAddressMask;
    }
}

uint64_t PackDeqScale(float scale, int16_t offset, bool signMode) {
    return static_cast<uint64_t>(signMode) << kSignBit |
           static_cast<uint64_t>(static_cast<uint16_t>(offset) & kOffsetMask) << kOffsetBit |
           BitsOf(scale);
}

void RunCastDeq(Dtype to, const Operand& dst, const Operand& src, const DeqForm& form,
                const Extent& extent, const AscendC::UnaryRepeatParams& strides, Location where) {
    Issue issue(Opcode::CastDeq, CoreKind::Aiv, where);
    if (!issue) {
        return;
    }
    Core& core = issue.core();
    Parameters lanes[kLanes];
    LoadParameters(issue, form, lanes);
    CheckSign(core, to, lanes);
    VecOperand operands[] = {
        {Arg::Dst, dst, to, strides.dstBlkStride, strides.dstRepStride, true},
        {Arg::Src, src, Dtype::I16, strides.srcBlkStride, strides.srcRepStride}};
    operands[0].perBlock = kLanes;
    operands[0].skip = form.upperHalf ? kBlockBytes / 2 : 0;
    // The results are never contiguous, so a call with a count runs as repeats in counter mode.
    const bool counted = extent.form == Extent::Form::Count;
    Extent repeats = extent;
    if (counted) {
        core.mask = MaskState{true, extent.count, 0};
        repeats = Extent::Mask(uint64_t{0}, 1, false);
    }
    Execute(issue, operands, 2, repeats, [&lanes, &operands](uint8_t* const* p, uint64_t n) {
        const auto* values = reinterpret_cast<const int16_t*>(p[1]);
        const auto first =
            static_cast<uint64_t>(p[1] - operands[1].start) % kBlockBytes / sizeof(int16_t);
        for (uint64_t i = 0; i < n; ++i) {
            p[0][i] = Quantize(values[i], lanes[(first + i) % kLanes]);
        }
    });
    if (counted) {
        core.mask = MaskState();
    }
}

}  // namespace twin::vec
