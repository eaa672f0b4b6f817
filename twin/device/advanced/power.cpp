// SPDX-License-Identifier: Apache-2.0
#include "device/advanced/power.h"

#include <algorithm>

#include "core/tmp_size.h"
#include "device/lanes/elementary.h"

namespace twin::advanced {
namespace {

constexpr uint64_t kChunk = 512;

/// One side of the power, `n` elements from `done` on: of the tensor, or the number repeated.
class Side {
public:
    Side(const Core& core, const PowerSide& side, uint32_t size)
        : values_(side.tensor ? core.ub + side.place.address : repeated_),
          step_(side.tensor ? size : 0) {
        for (uint64_t i = 0; !side.tensor && i < kChunk; ++i) {
            std::memcpy(repeated_ + i * size, side.number, size);
        }
    }
    const uint8_t* At(uint64_t done) const { return values_ + done * step_; }

private:
    uint8_t repeated_[kChunk * 4];
    const uint8_t* values_;
    uint32_t step_;
};

void Raise(Call& call, Dtype dtype, const PowerSide& base, const PowerSide& exponent,
           uint64_t count) {
    const lanes::ElementaryTable& table = lanes::BestElementary();
    const lanes::ElementaryFn run =
        table.run[static_cast<size_t>(lanes::ElementaryOp::Power)][static_cast<size_t>(dtype)];
    const uint32_t size = SizeOf(dtype);
    const Side bases(call.core(), base, size);
    const Side exponents(call.core(), exponent, size);
    for (uint64_t done = 0; done < count; done += kChunk) {
        const uint64_t n = std::min(kChunk, count - done);
        uint8_t* dst = call.At(0) + done * size;
        if (dtype == Dtype::I32) {
            table.powerInt32(dst, bases.At(done), exponents.At(done), n);
        } else {
            run(dst, bases.At(done), exponents.At(done), nullptr, n);
        }
    }
    call.Saturate(dtype, count);
}

}  // namespace

void RunPower(Dtype dtype, const Operand& dst, const PowerSide& base, const PowerSide& exponent,
              const Tmp& tmp, uint32_t count, Location where) {
    Call call("Power", where);
    if (!call || count == 0) {
        return;
    }
    const uint32_t size = SizeOf(dtype);
    const uint64_t bytes = uint64_t{count} * size;
    call.Add({"dstTensor", dst, bytes, true});
    if (base.tensor) {
        call.Add({"src0Tensor", base.place, bytes});
    }
    if (exponent.tensor) {
        call.Add({"src1Tensor", exponent.place, bytes});
    }
    const bool sound = call.Check(dtype == Dtype::F16 ? InPlace::Works : InPlace::Breaks);
    const TmpSize said = PowerTmp(base.tensor && exponent.tensor, dtype == Dtype::I32, size, count);
    call.Take(tmp, {said.min, said.max});
    if (sound) {
        Raise(call, dtype, base, exponent, count);
    } else {
        call.Spoil();
    }
    call.Finish(dtype, count);
}

}  // namespace twin::advanced
