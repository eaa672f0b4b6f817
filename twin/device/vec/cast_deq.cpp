// SPDX-License-Identifier: Apache-2.0
#include "device/vec/cast_deq.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "device/vec/execute.h"

namespace twin::vec {
namespace {

constexpr uint32_t kLanes = AscendC::VDEQ_TENSOR_SIZE;
constexpr uint32_t kOffsetBit = 37;
constexpr uint32_t kOffsetMask = 0x1FF;
constexpr uint32_t kSignBit = 46;
constexpr uint32_t kAddressMask = 0x3FFF;  ///< the register contains the address in blocks

struct Parameters {
    float scale;
    float offset;
    bool isSigned;
};

/// The hardware reads ten mantissa bits of the scale.
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
        std::memcpy(words, issue.Read(Arg::Vdeq, table, Memory::Ub, Runs{sizeof(words)}),
                    sizeof(words));
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
    // The results are never contiguous: the count form is counter mode with repeats.
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
