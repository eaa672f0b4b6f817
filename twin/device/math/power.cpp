// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "core/library_steps.h"
#include "core/tmp_size.h"
#include "device/lanes/arithmetic.h"
#include "device/library/call.h"
#include "device/math/functions.h"

namespace twin::advanced {
namespace {

constexpr uint64_t kChunk = 512;

/// Flags of a Power call: the base is a tensor, the exponent is a tensor, the type is int32_t.
struct PowerForm {
    static constexpr uint32_t kBase = 1, kExponent = 2, kWhole = 4;
};

/// The base or the exponent of a Power. At(done) returns the elements of the tensor from `done` on,
/// or copies of the number that is the same for all elements.
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

void XorBytes(uint8_t* dst, const uint8_t* a, const uint8_t* b, uint64_t bytes) {
    for (uint64_t i = 0; i < bytes; ++i) {
        dst[i] = a[i] ^ b[i];
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
    call.shape().form = (base.tensor ? PowerForm::kBase : 0) |
                        (exponent.tensor ? PowerForm::kExponent : 0) |
                        (dtype == Dtype::I32 ? PowerForm::kWhole : 0);
    uint8_t* to = call.Write(Arg::DstTensor, dst, uint64_t{count} * size);
    const Side bases(call, Arg::Src0Tensor, base, size, count);
    const Side exponents(call, Arg::Src1Tensor, exponent, size, count);
    const TmpSize said = PowerTmp(base.tensor && exponent.tensor, dtype == Dtype::I32, size, count);
    call.Take(tmp, {said.min, said.max});
    const bool narrow = dtype == Dtype::F16;
    call.Run(dtype, count, narrow ? Overlap::InPlace : Overlap::Library, [&] {
        Raise(to, dtype, bases, exponents, count);
        call.Saturate(to, dtype, count);
    });
}

void RunAxpy(Dtype dtype, const Operand& dst, const Operand& src, float scalar, const Tmp& tmp,
             uint32_t count, Location where) {
    Call call(Opcode::Axpy, where);
    if (!call || count == 0) {
        return;
    }
    const uint32_t size = SizeOf(dtype);
    const lanes::ElementaryTable& table = lanes::BestElementary();
    const lanes::ElementaryFn run =
        dtype == Dtype::F32
            ? table.axpyMixed
            : table.run[static_cast<size_t>(ElementaryOp::Axpy)][static_cast<size_t>(Dtype::F16)];
    uint8_t* to = call.Write(Arg::DstTensor, dst, uint64_t{count} * size);
    call.Read(Arg::DstTensor, dst, uint64_t{count} * size);
    const uint8_t* from = call.Read(Arg::SrcTensor, src, uint64_t{count} * sizeof(uint16_t));
    const TmpSize said = ElementaryTmp(ElementaryOp::Axpy, sizeof(uint16_t), count, false);
    call.Take(tmp, {said.min, said.max});
    const bool narrow = size == sizeof(uint16_t);
    call.Run(dtype, count, narrow ? Overlap::InPlace : Overlap::Library, [&] {
        run(to, to, from, &scalar, count);
        call.Saturate(to, dtype, count);
    });
}

void RunXor(Dtype dtype, const Operand& dst, const Operand& src0, const Operand& src1,
            const Tmp& tmp, uint32_t count, Location where) {
    Call call(Opcode::Xor, where);
    if (!call || count == 0) {
        return;
    }
    const uint32_t size = SizeOf(dtype);
    const uint64_t bytes = uint64_t{count} * size;
    uint8_t* to = call.Write(Arg::DstTensor, dst, bytes);
    const uint8_t* from0 = call.Read(Arg::Src0Tensor, src0, bytes);
    const uint8_t* from1 = call.Read(Arg::Src1Tensor, src1, bytes);
    const TmpSize said = XorTmp(size, count);
    call.Take(tmp, {said.min, said.max});
    call.Run(dtype, count, Overlap::Library, [&] { XorBytes(to, from0, from1, bytes); });
}

}  // namespace twin::advanced

namespace twin {
namespace {

/// Lists the instructions for x to the power of y in float. The scratch begins at `a` and has parts
/// of `size` elements.
struct PowerOf {
    CallSteps s;
    View scalars, a;
    int64_t size;
    CallSteps bits = s.Count(Up(s.n, 16)), repeats = s.Repeats(Up(s.n, 64));
    View b = a[size], c = b[size], p = c[size].As(Dtype::U8);
    View q = p[size], r = q[size], whole = r[size];

    void operator()(View dst, View x, View y) const {
        s.Barrier();
        s.Abs(dst, x);
        s.Ln(dst, dst);
        s.Mul(dst, y, dst);
        s.Exp(dst, dst);
        OddSign(dst, x, y);
        Infinite(dst, x, y);
        Undefined(dst, x, y);
    }

    /// Lists the instructions that handle negative bases with odd exponents.
    void OddSign(View dst, View x, View y) const {
        s.Abs(a, y);
        s.Cast(a, a);
        s.Muls(b, a);
        s.Cast(b, b);
        s.Muls(b, b);
        s.Sub(a, a, b);
        s.Muls(a, a);
        s.Adds(a, a);
        s.Cast(a, a);
        s.ShiftRight(b.As(Dtype::I32), x.As(Dtype::I32));
        repeats.CompareScalar(p, b.As(Dtype::I32));
        s.Abs(b, y);
        s.Cast(c, b);
        s.Sub(c, b, c);
        s.Abs(c, c);
        repeats.CompareScalar(whole, c);
        And(p, whole, p);
        Choose(b, a, scalars);
        s.Mul(dst, b, dst);
    }
    /// Lists the instructions that handle bases of 0 or 1 with infinite exponents.
    void Infinite(View dst, View x, View y) const {
        s.Abs(a, y);
        repeats.CompareScalar(p, a);
        repeats.CompareScalar(q, x);
        And(p, q, p);
        repeats.CompareScalar(q, x);
        repeats.CompareScalar(r, a);
        Or(q, r, q);
        And(p, q, p);
        Choose(dst, dst, scalars);
    }
    /// Lists the instructions that handle negative bases with exponents that are not integers.
    void Undefined(View dst, View x, View y) const {
        s.Abs(a, y);
        repeats.CompareScalar(p, a);
        const View words = p.As(Dtype::U16);
        bits.NoBarrier().Or(words, whole.As(Dtype::U16), words);
        repeats.NoBarrier().CompareScalar(q, x);
        repeats.CompareScalar(r, x);
        Or(q, r, q);
        Or(p, q, p);
        Choose(dst, dst, scalars[8]);
    }
    void And(View dst, View x, View y) const {
        bits.And(dst.As(Dtype::U16), x.As(Dtype::U16), y.As(Dtype::U16));
    }
    void Or(View dst, View x, View y) const {
        bits.Or(dst.As(Dtype::U16), x.As(Dtype::U16), y.As(Dtype::U16));
    }
    /// Lists a Select that takes `src` where the bits of p are set, and the scalar elsewhere.
    void Choose(View dst, View src, View scalar) const {
        s.Count(4).SetCmpMask(scalar);
        s.Select(dst, p, src);
    }
};

void PowerOfHalves(CallSteps s, bool base, bool exponent, View scalars, int64_t size) {
    const View x = s.Floats(size), y = s.Floats(size), wide = s.Floats(size), a = s.Floats(size);
    if (!exponent) {
        s.Count(size).NoBarrier().Duplicate(y);
    } else if (!base) {
        s.Barrier();
        s.Count(size).NoBarrier().Duplicate(x);
    }
    s.Along<3>(size, [&](CallSteps s, View dst, View first, View second) {
        s.If(base).NoBarrier().Cast(x, first);
        s.If(exponent).NoBarrier().Cast(y, base ? second : first);
        s.Barrier();
        PowerOf{s, scalars, a, size}(wide, x, y);
        s.Cast(dst, wide);
    });
}

void PowerOfFloats(CallSteps s, bool base, bool exponent, View scalars, int64_t size) {
    const bool both = base && exponent;
    const View fixed = s.Floats(both ? 0 : size), a = s.Floats(size);
    if (!both) {
        s.Barrier();
        s.Count(size).Duplicate(fixed);
    }
    s.Along<3>(size, [&](CallSteps s, View dst, View first, View second) {
        s.If(both && s.n == size).Barrier();
        const View y = base ? second : first;
        PowerOf{s, scalars, a, size}(dst, base ? first : fixed, exponent ? y : fixed);
    });
}

}  // namespace

void PowerSteps(CallSteps s) {
    using Form = advanced::PowerForm;
    const bool base = s.Has(Form::kBase), exponent = s.Has(Form::kExponent), half = s.Half();
    if (s.Has(Form::kWhole)) {
        s.Barrier();
        s.Unlisted({s.Operand(0), s.Operand(1), s.Operand(2)});
        return s.Barrier();
    }
    const int64_t parts = half ? 7 : (base && exponent ? 4 : 5);
    const int64_t size = std::max<int64_t>((s.Scratch() - 256) / 4 / parts / 32 * 32, 32);
    const View scalars = s.Floats(64);
    s.Count(8).NoBarrier().Duplicate(scalars);
    s.Count(8).NoBarrier().Duplicate(scalars[8]);
    (half ? PowerOfHalves : PowerOfFloats)(s, base, exponent, scalars, size);
}

void AxpySteps(CallSteps s) {
    const bool half = s.Half();
    const int64_t size = s.Part(half ? 2 : 1);
    const View x = s.Floats(size), wide = s.Floats(size);
    s.Pieces(size, {s.Operand(0), s.Operand(1).As(Dtype::F16)},
             [&](CallSteps s, View dst, View src) {
                 const View y = half ? wide : dst;
                 s.Cast(x, src);
                 s.If(half).Cast(y, dst);
                 s.Muls(x, x);
                 s.Add(y, x, y);
                 s.If(half).Cast(dst, y);
             });
}

void XorSteps(CallSteps s) {
    const int64_t size = s.Part(1, sizeof(uint16_t));
    const View either = s.Work(s.Type(), size);
    s.Along<3>(size, [&](CallSteps s, View dst, View src, View other) {
        s.NoBarrier().And(dst, src, other);
        s.Or(either, src, other);
        s.Not(dst, dst);
        s.And(dst, either, dst);
    });
}

}  // namespace twin
