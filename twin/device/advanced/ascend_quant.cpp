// SPDX-License-Identifier: Apache-2.0
#include "device/advanced/ascend_quant.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/float16.h"
#include "core/tmp_size.h"
#include "device/lanes/cast.h"

namespace twin::advanced {
namespace {

constexpr uint64_t kChunk = 512;
constexpr auto kF16 = static_cast<size_t>(Dtype::F16);
constexpr auto kF32 = static_cast<size_t>(Dtype::F32);
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

/// Scales or offsets as half.
std::vector<uint16_t> Halves(const Core& core, Dtype dtype, const QuantFactor& factor,
                             uint64_t count) {
    std::vector<uint16_t> values(count, FloatToHalf(factor.number));
    const uint8_t* from = core.ub + factor.place.address;
    if (factor.tensor && dtype == Dtype::F32) {
        lanes::BestCasts().cast[kF16][kF32](values.data(), from, count, lanes::Round::None);
    } else if (factor.tensor) {
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
    /// Up to kChunk elements.
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

void Quantise(Call& call, Dtype dtype, const QuantFactor& scale, const QuantFactor& offset,
              uint64_t count) {
    const uint64_t size = SizeOf(dtype);
    const uint64_t row = scale.tensor ? scale.count : count;
    const uint64_t held = scale.tensor ? row : std::min(row, kChunk);
    const std::vector<uint16_t> scales = Halves(call.core(), dtype, scale, held);
    const std::vector<uint16_t> offsets = Halves(call.core(), dtype, offset, held);
    const QuantStep step(call.core(), dtype);
    for (uint64_t begin = 0; begin < count; begin += row) {
        for (uint64_t done = 0; done < row; done += kChunk) {
            const uint64_t n = std::min(kChunk, row - done);
            const uint64_t column = scale.tensor ? done : 0;
            step.Run(call.At(0) + begin + done, call.At(1) + (begin + done) * size, &scales[column],
                     &offsets[column], n);
        }
    }
}

}  // namespace

void RunQuant(Dtype dtype, const Operand& dst, const Operand& src, QuantFactor scale,
              QuantFactor offset, uint32_t count, const AscendC::AscendQuantConfig& config,
              const Tmp& tmp, Location where) {
    Call call("AscendQuant", where);
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
    const bool lost = dtype == Dtype::F32;  // float factors become half in their own place
    call.Add({"dstTensor", dst, count, true});
    call.Add({"srcTensor", src, count * size});
    if (scale.tensor) {
        call.Add({"scaleTensor", scale.place, scale.count * size, false, lost});
    }
    if (offset.tensor) {
        call.Add({"offsetTensor", offset.place, offset.count * size, false, lost});
    }
    const bool sound = call.Check(InPlace::Works);
    const TmpSize said = QuantTmp(count);
    call.Take(tmp, {std::max<uint64_t>(said.min, config.workLocalSize), said.max});
    if (sound) {
        Quantise(call, dtype, scale, offset, count);
    } else {
        call.Spoil();
    }
    call.Finish(dtype, count);
}

}  // namespace twin::advanced
