// SPDX-License-Identifier: Apache-2.0
#include "core/library_steps.h"
#include "device/library/elementwise.h"

namespace twin {
namespace {

/// Lists three Casts for each part of a half tensor: to float, to rounded values, back to half.
void RoundHalf(CallSteps s) {
    const int64_t size = s.Part(1);
    const View x = s.Floats(size);
    s.Along<2>(size, [&](CallSteps s, View dst, View src) {
        s.Cast(x, src);
        s.Cast(x, x);
        s.Cast(dst, x);
    });
}

/// Lists the instructions of Ceil and Trunc, which split tensors of half and of float into pieces.
void RoundInPieces(CallSteps s) {
    if (s.Half()) {
        return RoundHalf(s);
    }
    s.Along<2>(s.Part(1), [](CallSteps s, View dst, View src) { s.Cast(dst, src); });
}

void RoundAtOnce(CallSteps s) {
    if (s.Half()) {
        return RoundHalf(s);
    }
    s.NoBarrier().Cast(s.Operand(0), s.Operand(1));
}

void Clamp(CallSteps s) {
    const int64_t per = kRepeatBytes / SizeOf(s.Type());
    const View bits = s.Buffer(Dtype::U8), number = s.Buffer(s.Type());
    const auto clamp = [&](View dst, View src, int64_t mask, int64_t times) {
        s.Repeats(times, mask).CompareScalar(bits, src);
        s.Count(32).Duplicate(number);
        s.Count(1).SetCmpMask(number);
        s.Repeats(times, mask).Select(dst, bits, src);
    };
    s.Along<2>(s.Scratch() / per * per, [&](CallSteps s, View dst, View src) {
        const int64_t whole = s.n / per;
        InParts(whole, 255, [&](int64_t at, int64_t times) {
            clamp(dst[at * per], src[at * per], per, times);
        });
        if (s.n % per != 0) {
            clamp(dst[whole * per], src[whole * per], s.n % per, 1);
        }
    });
}

/// Lists `degree` steps c = a * c + constant of Horner's method; `b` is scratch.
void Polynomial(CallSteps s, int64_t degree, View a, View b, View c) {
    for (int64_t i = 0; i < degree; ++i) {
        s.Mul(b, a, c);
        s.Adds(c, b);
    }
}

void ErfTail(CallSteps s, View dst, View x, View a, View b, View c) {
    s.Mul(a, x, x);
    s.Muls(b, a);
    s.Adds(c, b);
    Polynomial(s, 4, a, b, c);
    s.Mul(b, x, c);
    s.Adds(c, a);
    Polynomial(s, 4, a, x, c);
    s.Div(dst, b, c);
}

void ErfcTail(CallSteps s, View dst, View sign, View a, View b, View c, View d, View e) {
    s.Abs(a, sign);
    s.Adds(a, a);
    s.Div(sign, sign, a);
    s.Mins(b, a);
    s.Muls(c, a);
    s.Adds(d, c);
    Polynomial(s, 7, a, c, d);
    s.Adds(c, a);
    Polynomial(s, 4, a, e, c);
    s.Div(c, d, c);
    s.Mul(a, a, a);
    s.Muls(a, a);
    s.Exp(a, a);
    s.Mul(c, a, c);
    s.Muls(b, sign);
    s.Adds(b, b);
    s.Mul(c, c, sign);
    s.Add(dst, c, b);
}

void Logarithm(CallSteps s, View dst, View src) {
    s.Ln(dst, src);
    s.NoBarrier().Muls(dst, dst);
}

}  // namespace

void CeilSteps(CallSteps s) { RoundInPieces(s); }
void ClampMaxSteps(CallSteps s) { Clamp(s); }
void ClampMinSteps(CallSteps s) { Clamp(s); }
void FloorSteps(CallSteps s) { RoundAtOnce(s); }
void RoundSteps(CallSteps s) { RoundAtOnce(s); }
void TruncSteps(CallSteps s) { RoundInPieces(s); }

void DigammaSteps(CallSteps s) {
    s.Unlisted({s.Operand(0), s.Operand(1)});
    s.Barrier();
}

void LgammaSteps(CallSteps s) {
    if (s.Half()) {
        s.Unlisted({});
        s.Barrier();
    }
    s.Unlisted({s.Operand(1)});
    s.Barrier();
    s.Unlisted({s.Operand(0)});
    s.If(!s.Half()).Barrier();
}

void ErfSteps(CallSteps s) {
    const bool half = s.Half();
    const int64_t size = s.Part(half ? 4 : 3);
    const View a = s.Floats(size), b = s.Floats(size), c = s.Floats(size), x = s.Floats(size);
    s.Along<2>(size, [&](CallSteps s, View dst, View src) {
        s.If(half).Cast(x, src);
        s.Mins(a, half ? x : src);
        s.Maxs(half ? x : dst, a);
        ErfTail(s, half ? a : dst, half ? x : dst, a, b, c);
        s.If(half).Cast(dst, a);
    });
}

void ErfcSteps(CallSteps s) {
    const bool half = s.Half();
    const int64_t size = s.Part(half ? 6 : 5);
    const View a = s.Floats(size), b = s.Floats(size), c = s.Floats(size);
    const View d = s.Floats(size), e = s.Floats(size), x = s.Floats(size);
    s.Along<2>(size, [&](CallSteps s, View dst, View src) {
        const View clipped = half ? a : dst;
        s.If(half).Cast(x, src);
        s.Mins(clipped, half ? x : src);
        s.Maxs(half ? x : dst, clipped);
        ErfcTail(s, clipped, half ? x : dst, a, b, c, d, e);
        s.If(half).Cast(dst, a);
    });
}

void ExpSteps(CallSteps s) {
    const bool half = s.Half(), spent = s.Has(advanced::ElementwiseForm::kReuse) && !half;
    const int64_t unit = kBlockBytes / SizeOf(s.Type());
    const int64_t size = s.Scratch() / 4 / (half ? 4 : spent ? 2 : 3) / unit * unit;
    const View rest = s.Floats(spent ? 0 : size);
    const View power = s.Floats(size), whole = s.Floats(size), kept = s.Floats(size);
    s.Along<2>(size, [&](CallSteps s, View dst, View src) {
        const View x = spent ? src : rest;
        const View y = half ? kept : dst;
        if (half) {
            s.Cast(x, src);
        } else {
            s.Adds(x, src);
        }
        s.Cast(whole, x);
        s.Sub(x, x, whole);
        s.Exp(whole, whole);
        s.Adds(power, x);
        s.Adds(y, x);
        s.Adds(y, y);
        for (int64_t i = 2; i <= s.Level(); ++i) {
            s.Mul(power, x, power);
            s.Muls(power, power);
            s.Add(y, y, power);
        }
        s.Mul(y, y, whole);
        s.If(half).Cast(dst, y);
    });
}

void FmodSteps(CallSteps s) {
    const View dst = s.Operand(0), src = s.Operand(1), divisor = s.Operand(2);
    if (!s.Half()) {
        s.Barrier();
        s.Div(dst, src, divisor);
        s.Along<1>(s.Part(1), [](CallSteps s, View dst) { s.Cast(dst, dst); });
        s.Mul(dst, dst, divisor);
        return s.Sub(dst, src, dst);
    }
    const int64_t size = s.Part(4);
    const View y = s.Floats(size), a = s.Floats(size), b = s.Floats(size);
    s.Along<3>(size, [&](CallSteps s, View dst, View src, View divisor) {
        s.Barrier();
        s.NoBarrier().Cast(a, src);
        s.Cast(b, divisor);
        s.Div(y, a, b);
        s.Cast(y, y);
        s.Mul(y, y, b);
        s.Sub(y, a, y);
        s.Cast(dst, y);
    });
}

void FracSteps(CallSteps s) {
    if (!s.Half()) {
        s.Cast(s.Operand(0), s.Operand(1));
        return s.Sub(s.Operand(0), s.Operand(1), s.Operand(0));
    }
    const int64_t size = s.Part(2);
    const View x = s.Floats(size), y = s.Floats(size);
    s.Along<2>(size, [&](CallSteps s, View dst, View src) {
        s.Cast(x, src);
        s.Cast(y, x);
        s.Sub(y, x, y);
        s.Cast(dst, y);
    });
}

void LogSteps(CallSteps s) { s.NoBarrier().Ln(s.Operand(0), s.Operand(1)); }
void Log10Steps(CallSteps s) { Logarithm(s, s.Operand(0), s.Operand(1)); }

void Log2Steps(CallSteps s) {
    if (!s.Half()) {
        return Logarithm(s, s.Operand(0), s.Operand(1));
    }
    const int64_t size = s.Part(1);
    const View x = s.Floats(size);
    s.Along<2>(size, [&](CallSteps s, View dst, View src) {
        s.Cast(x, src);
        s.Ln(x, x);
        s.Muls(x, x);
        s.Cast(dst, x);
    });
}

void SignSteps(CallSteps s) {
    const int64_t bytes = SizeOf(s.Type()), words = 16 / bytes;
    const int64_t size = s.Part(3, bytes), bits = Up(size / 8, 32) * 32;
    const View below = s.Work(Dtype::U8, bits), above = s.Work(Dtype::U8, bits);
    const View ones = s.Work(s.Type(), size), first = s.Work(s.Type(), size);
    s.Along<2>(size, [&](CallSteps s, View dst, View src) {
        const CallSteps repeats = s.Repeats(Up(s.n, kRepeatBytes / bytes));
        s.Duplicate(dst);
        repeats.NoBarrier().Compare(below, src, dst);
        repeats.NoBarrier().Compare(above, src, dst);
        s.Duplicate(ones);
        s.Count(words).NoBarrier().SetCmpMask(ones);
        s.Select(first, below, dst);
        s.Duplicate(ones);
        s.Count(words).NoBarrier().SetCmpMask(ones);
        s.Select(dst, above, dst);
        s.Add(dst, first, dst);
    });
}

}  // namespace twin
