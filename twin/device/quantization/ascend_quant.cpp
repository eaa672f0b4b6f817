// SPDX-License-Identifier: Apache-2.0
#include "device/quantization/ascend_quant.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/float16.h"
#include "core/library_steps.h"
#include "core/tmp_size.h"
#include "device/lanes/arithmetic.h"
#include "device/library/call.h"
#include "device/library/elementwise.h"

namespace twin::advanced {
namespace {

struct QuantForm {
    static constexpr uint32_t kScales = 1, kOffsets = 2;
};

constexpr uint64_t kChunk = 512;
constexpr auto kI8 = static_cast<size_t>(Dtype::I8);

void CheckCounts(const QuantFactor& scale, const QuantFactor& offset, uint32_t count) {
    const bool even = scale.count != 0 && count % scale.count == 0;
    const bool paired = !offset.tensor || offset.count == scale.count;
    const bool aligned = scale.count == count || scale.count % kBlockBytes == 0;
    if (even && paired && aligned) {
        return;
    }
    Fail("T703",
         "shape not taken: AscendQuant of %u elements with %u scales and %u offsets; as many of "
         "both, a whole number of rows, and rows of a multiple of 32 elements\n  try: pad the rows",
         count, scale.count, offset.tensor ? offset.count : scale.count);
}

/// Returns scales or offsets as half; `from` is null if the factor is a number.
std::vector<uint16_t> Halves(Dtype dtype, const uint8_t* from, const QuantFactor& factor,
                             uint64_t count) {
    std::vector<uint16_t> values(count, FloatToHalf(factor.number));
    if (from != nullptr && dtype == Dtype::F32) {
        lanes::BestCasts().cast[kF16][kF32](values.data(), from, count, lanes::Round::None);
    } else if (from != nullptr) {
        std::memcpy(values.data(), from, count * sizeof(uint16_t));
    }
    return values;
}

class QuantStep {
public:
    QuantStep(const Core& core, Dtype dtype) : wide_(dtype == Dtype::F32) {
        const lanes::CastTable& casts = lanes::BestCasts();
        const auto& arithmetic = lanes::BestArithmetic();
        narrow_ = casts.cast[kF16][kF32];
        const lanes::CastFn cut = casts.truncating[kI8][kF16];
        toInt_ = core.CtrlBit(kCtrlTruncate) && cut != nullptr ? cut : casts.cast[kI8][kF16];
        mul_ = arithmetic.binary[static_cast<size_t>(lanes::BinaryOp::Mul)][kF16];
        add_ = arithmetic.binary[static_cast<size_t>(lanes::BinaryOp::Add)][kF16];
    }
    /// Quantises up to kChunk elements.
    void Run(uint8_t* dst, const uint8_t* src, const uint16_t* scale, const uint16_t* offset,
             uint64_t n) const {
        uint16_t values[kChunk];
        if (wide_) {
            narrow_(values, src, n, lanes::Round::None);
            mul_(values, values, scale, n);
        } else {
            mul_(values, src, scale, n);
        }
        add_(values, values, offset, n);
        toInt_(dst, values, n, lanes::Round::None);
    }

private:
    bool wide_;
    lanes::CastFn narrow_;
    lanes::CastFn toInt_;
    lanes::BinaryFn mul_;
    lanes::BinaryFn add_;
};

/// Quantises `count` elements in rows of `row`. If `byColumn`, each column has its own scale and
/// offset; otherwise all elements use the same scale and offset.
void Quantise(uint8_t* dst, const uint8_t* src, const QuantStep& step, uint64_t size,
              const std::vector<uint16_t>& scales, const std::vector<uint16_t>& offsets,
              uint64_t count, uint64_t row, bool byColumn) {
    for (uint64_t begin = 0; begin < count; begin += row) {
        for (uint64_t done = 0; done < row; done += kChunk) {
            const uint64_t n = std::min(kChunk, row - done);
            const uint64_t column = byColumn ? done : 0;
            step.Run(dst + begin + done, src + (begin + done) * size, &scales[column],
                     &offsets[column], n);
        }
    }
}

}  // namespace

void RunQuant(Dtype dtype, const Operand& dst, const Operand& src, QuantFactor scale,
              QuantFactor offset, uint32_t count, const AscendC::AscendQuantConfig& config,
              const Tmp& tmp, Location where) {
    Call call(Opcode::AscendQuant, where);
    if (!call || count == 0) {
        return;
    }
    const bool fixed = scale.tensor ? config.calcCount != 0 && config.scaleCount != 0
                                    : config.calcCount != 0 && config.workLocalSize != 0;
    if (fixed) {
        count = config.calcCount;
        scale.count = config.scaleCount;
        offset.count = config.offsetCount;
    }
    if (scale.tensor) {
        CheckCounts(scale, offset, count);
    }
    const uint64_t size = SizeOf(dtype);
    const auto read = [&](Arg name, const QuantFactor& factor) {
        // Float factors are converted to half in place.
        return factor.tensor ? call.Read(name, factor.place,
                                         Runs{factor.count * size, {count / factor.count, 0}},
                                         dtype == Dtype::F32)
                             : nullptr;
    };
    CallShape& shape = call.shape();
    shape.form =
        (scale.tensor ? QuantForm::kScales : 0) | (offset.tensor ? QuantForm::kOffsets : 0);
    shape.columns = scale.tensor ? scale.count : count;
    shape.rows = count / shape.columns;
    uint8_t* to = call.Write(Arg::DstTensor, dst, count);
    const uint8_t* from = call.Read(Arg::SrcTensor, src, count * size);
    const uint8_t* scales = read(Arg::ScaleTensor, scale);
    const uint8_t* offsets = read(Arg::OffsetTensor, offset);
    const TmpSize said = QuantTmp(count);
    call.Take(tmp, {std::max<uint64_t>(said.min, config.workLocalSize), said.max});
    call.issue().Reads(Register::Ctrl);
    call.Run(dtype, count, Overlap::InPlace, [&] {
        const uint64_t row = scale.tensor ? scale.count : count;
        const uint64_t held = scale.tensor ? row : std::min(row, kChunk);
        Quantise(to, from, QuantStep(call.core(), dtype), size, Halves(dtype, scales, scale, held),
                 Halves(dtype, offsets, offset, held), count, row, scale.tensor);
    });
}

}  // namespace twin::advanced

namespace twin {

void AscendQuantSteps(CallSteps s) {
    using Form = advanced::QuantForm;
    const bool half = s.Half(), scales = s.Has(Form::kScales), offsets = s.Has(Form::kOffsets);
    const View dst = s.Operand(0).As(Dtype::I8), src = s.Operand(1);
    const View factor = s.Operand(2).As(Dtype::F16), shift = s.Operand(3).As(Dtype::F16);
    const int64_t size = s.Part(1, sizeof(uint16_t)), k = s.Columns();
    const View a = s.Work(Dtype::F16, size);
    if (scales && !half) {
        s.Count(k).NoBarrier().Cast(factor, s.Operand(2));
        if (offsets) {
            s.Count(k).NoBarrier().Cast(shift, s.Operand(3));
        } else {
            s.Barrier();
        }
    }
    for (int64_t row = 0; row < s.Rows(); ++row) {
        const auto piece = [&](CallSteps s, View to, View x, View factor, View shift) {
            s.If(!half).Cast(a, x);
            if (scales) {
                s.Mul(a, half ? x : a, factor);
            } else {
                s.Muls(a, half ? x : a);
            }
            if (offsets) {
                s.Add(a, a, shift);
            } else {
                s.Adds(a, a);
            }
            s.Cast(to, a);
        };
        s.Count(k).Pieces(size, {dst[row * k], src[row * k], factor, shift}, piece);
    }
}

}  // namespace twin
