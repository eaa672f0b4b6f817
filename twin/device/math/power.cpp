// SPDX-License-Identifier: Apache-2.0
#include "device/math/power.h"

#include <algorithm>

#include "core/tmp_size.h"
#include "device/lanes/arithmetic.h"
#include "device/library/call.h"

namespace twin::advanced {
namespace {

constexpr uint64_t kChunk = 512;

/// One operand of the power, `n` elements from `done` on: elements of the tensor, or the repeated
/// number.
class Side {
public:
    Side(Call& call, Arg name, const PowerSide& side, uint32_t size, uint64_t count)
        : step_(side.tensor ? size : 0) {
        if (side.tensor) {
            values_ = call.Read(name, side.place, count * size);
            return;
        }
        for (uint64_t i = 0; i < kChunk; ++i) {
            std::memcpy(repeated_ + i * size, side.number, size);
        }
    }
    const uint8_t* At(uint64_t done) const { return values_ + done * step_; }

private:
    uint8_t repeated_[kChunk * 4];
    const uint8_t* values_ = repeated_;
    uint32_t step_;
};

void Raise(uint8_t* dst, Dtype dtype, const Side& bases, const Side& exponents, uint64_t count) {
    const lanes::ElementaryTable& table = lanes::BestElementary();
    const lanes::ElementaryFn run =
        table.run[static_cast<size_t>(lanes::ElementaryOp::Power)][static_cast<size_t>(dtype)];
    const uint32_t size = SizeOf(dtype);
    for (uint64_t done = 0; done < count; done += kChunk, dst += kChunk * size) {
        const uint64_t n = std::min(kChunk, count - done);
        if (dtype == Dtype::I32) {
            table.powerInt32(dst, bases.At(done), exponents.At(done), n);
        } else {
            run(dst, bases.At(done), exponents.At(done), nullptr, n);
        }
    }
}

}  // namespace

void RunPower(Dtype dtype, const Operand& dst, const PowerSide& base, const PowerSide& exponent,
              const Tmp& tmp, uint32_t count, Location where) {
    Call call(Opcode::Power, where);
    if (!call || count == 0) {
        return;
    }
    const uint32_t size = SizeOf(dtype);
    call.shape().form =
        (base.tensor ? 1U : 0U) | (exponent.tensor ? 2U : 0U) | (dtype == Dtype::I32 ? 4U : 0U);
    uint8_t* to = call.Write(Arg::DstTensor, dst, uint64_t{count} * size);
    const Side bases(call, Arg::Src0Tensor, base, size, count);
    const Side exponents(call, Arg::Src1Tensor, exponent, size, count);
    const TmpSize said = PowerTmp(base.tensor && exponent.tensor, dtype == Dtype::I32, size, count);
    call.Take(tmp, {said.min, said.max});
    const bool narrow = dtype == Dtype::F16;
    if (!call.Ready(dtype, count, narrow ? Overlap::InPlace : Overlap::Library)) {
        return;
    }
    Raise(to, dtype, bases, exponents, count);
    call.Saturate(to, dtype, count);
    call.Done();
}

}  // namespace twin::advanced
