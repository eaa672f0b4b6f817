// SPDX-License-Identifier: Apache-2.0
// This file lists the instructions of the inverse trigonometric and hyperbolic functions.
#include "core/library_steps.h"

namespace twin {
namespace {

void SignOf(CallSteps s, View dst, View src, View a) {
    s.Muls(dst, src);
    s.Abs(a, dst);
    s.Adds(a, a);
    s.Div(dst, dst, a);
}

void ArcsineSeries(CallSteps s, View dst, View factor) {
    s.Muls(dst, dst);
    for (int64_t i = 0; i < 6; ++i) {
        s.Adds(dst, dst);
        s.Mul(dst, dst, factor);
    }
    s.Adds(dst, dst);
}

void ArcsineOfSquare(CallSteps s, View dst, View src) {
    s.Muls(dst, src);
    ArcsineSeries(s, dst, src);
    s.Sqrt(src, src);
    s.Mul(dst, dst, src);
    s.Barrier();
}

void ArcsineOf(CallSteps s, View dst, View src, View square) {
    s.NoBarrier().Mul(dst, src, src);
    s.Mul(square, src, src);
    ArcsineSeries(s, dst, square);
    s.Mul(dst, dst, src);
    s.Barrier();
}

/// Lists the instructions for dst = 1 - src * src: Mul, Muls and Adds.
void OneMinusSquare(CallSteps s, View dst, View src) {
    s.Mul(dst, src, src);
    s.Muls(dst, dst);
    s.Adds(dst, dst);
}

/// Lists the instructions for x = c - x, which are the same for every constant c.
void Opposite(CallSteps s, View x) {
    s.Muls(x, x);
    s.Adds(x, x);
}

void Arcsine(CallSteps s, View dst, View src, View a, View b) {
    OneMinusSquare(s, b, src);
    s.Sqrt(dst, b);
    ArcsineOf(s, b, dst, a);
    Opposite(s, b);
    s.Mul(a, src, src);
    ArcsineOfSquare(s, dst, a);
    s.Mins(a, a);
    s.Adds(a, a);
    s.Cast(a.As(Dtype::I32), a);
    s.Cast(a, a.As(Dtype::I32));
    s.Barrier();
    s.Muls(a, a);
    s.Mul(dst, dst, a);
    Opposite(s, a);
    s.Mul(b, b, a);
    s.Add(dst, dst, b);
    SignOf(s, b, src, a);
    s.Barrier();
    s.Mul(dst, dst, b);
}

void ArcsineOfHalves(CallSteps s, View dst, View src, View a, View b, View c, View d) {
    s.Cast(b, src);
    OneMinusSquare(s, b, b);
    ArcsineOfSquare(s, a, b);
    Opposite(s, a);
    s.Abs(d, src);
    ArcsineOf(s, dst, d, c);
    s.Mins(d, d);
    s.Adds(d, d);
    s.Cast(c.As(Dtype::I8), d);
    s.Cast(d, c.As(Dtype::I8));
    s.Muls(d, d);
    s.Mul(dst, dst, d);
    Opposite(s, d);
    s.Cast(b, d);
    s.Mul(a, a, b);
    s.Cast(b, dst);
    s.Add(a, b, a);
    SignOf(s, c, src, d);
    s.Barrier();
    s.Cast(b, c);
    s.Mul(a, a, b);
    s.Cast(dst, a);
}

/// Lists the instructions of Asin or, if `cosine` is true, of Acos.
void ArcsinePieces(CallSteps s, bool cosine) {
    const bool half = s.Half();
    const int64_t size = s.Scratch() / (half ? 12 : 16) / 32 * 32;
    const View a = s.Floats(size), b = s.Floats(size);
    const View c = s.Work(Dtype::F16, size), d = s.Work(Dtype::F16, size);
    s.Along<2>(size, [&](CallSteps s, View dst, View src) {
        if (half) {
            ArcsineOfHalves(s, dst, src, a, b, c, d);
        } else {
            Arcsine(s, dst, src, a, b);
        }
        if (!cosine) {
            return;
        }
        const View x = half ? a : dst;
        s.Barrier();
        s.Adds(x, x);
        (half ? s : s.NoBarrier()).Muls(x, x);
        s.If(half).NoBarrier().Cast(dst, a);
    });
}

void ArctangentSeries(CallSteps s, View dst, View src, View square, int64_t level) {
    s.NoBarrier().Mul(square, src, src);
    s.Mul(dst, src, src);
    s.Muls(dst, dst);
    for (int64_t i = 1; i < level; ++i) {
        s.Adds(dst, dst);
        s.Mul(dst, dst, square);
    }
    s.Adds(dst, dst);
    s.NoBarrier().Mul(dst, dst, src);
}

void ArctangentShift(CallSteps s, View dst, View src, View a) {
    s.Muls(dst, src);
    s.NoBarrier().Adds(dst, dst);
    s.Adds(a, src);
    s.Div(dst, a, dst);
    s.Abs(dst, dst);
}

void Arctangent(CallSteps s, View dst, View src, const View (&work)[5]) {
    const auto [a, clip, absolute, b, square] = work;
    s.Mins(clip, src);
    s.Maxs(clip, clip);
    s.Abs(absolute, clip);
    ArctangentSeries(s, dst, absolute, square, 4);
    ArctangentShift(s, a, absolute, b);
    ArctangentSeries(s, b, a, square, 4);
    s.Barrier();
    s.Adds(b, b);
    s.NoBarrier().Min(dst, dst, b);
    s.NoBarrier().Adds(b, absolute);
    s.Adds(a, absolute);
    s.Div(a, a, b);
    s.Abs(a, a);
    ArctangentSeries(s, b, a, square, 4);
    s.Barrier();
    s.Adds(b, b);
    s.NoBarrier().Min(dst, dst, b);
    ArctangentShift(s, b, a, square);
    ArctangentSeries(s, a, b, square, 6);
    s.Barrier();
    s.Adds(a, a);
    s.Adds(a, a);
    s.Min(dst, dst, a);
    SignOf(s, a, clip, b);
    s.Mul(dst, dst, a);
}

/// Returns part number `part` of the scratch; each part has n floats, rounded up to 32 floats.
View WorkOf(CallSteps s, int64_t part) { return s.Buffer(Dtype::F32)[part * Up(s.n, 32) * 32]; }

/// Lists the instructions for a = sqrt(x * x + c), where c is 1 for Asinh and -1 for Acosh.
void RootOfSquare(CallSteps s, View a, View x) {
    s.Mul(a, x, x);
    s.Adds(a, a);
    s.Sqrt(a, a);
}

}  // namespace

void AcosSteps(CallSteps s) { ArcsinePieces(s, true); }
void AsinSteps(CallSteps s) { ArcsinePieces(s, false); }

void AcoshSteps(CallSteps s) {
    const bool half = s.Half();
    s.Along<2>(s.Part(half ? 2 : 1), [&](CallSteps s, View dst, View src) {
        const View x = half ? WorkOf(s, 0) : src, a = WorkOf(s, half ? 1 : 0);
        const View quotient = half ? x : dst;
        s.If(half).Cast(x, src);
        RootOfSquare(s, a, x);
        if (half) {
            s.Add(a, a, x);
        } else {
            s.Add(a, x, a);
        }
        s.Div(quotient, a, a);
        s.Mul(a, a, quotient);
        s.Ln(half ? a : dst, a);
        s.If(half).Cast(dst, a);
    });
}

void AsinhSteps(CallSteps s) {
    const bool half = s.Half();
    s.Along<2>(s.Part(3), [&](CallSteps s, View dst, View src) {
        const View x = WorkOf(s, 0), sign = WorkOf(s, 1), a = WorkOf(s, 2);
        s.If(half).Cast(x, src);
        s.Abs(x, half ? x : src);
        RootOfSquare(s, a, x);
        s.Add(a, a, x);
        s.Ln(a, a);
        s.If(half).Cast(x, src);
        SignOf(s, x, half ? x : src, sign);
        s.Mul(half ? a : dst, a, x);
        s.If(half).Cast(dst, a);
    });
}

void AtanSteps(CallSteps s) {
    const bool half = s.Half();
    const int64_t size = s.Part(half ? 6 : 5);
    View work[5];
    for (View& each : work) {
        each = s.Floats(size);
    }
    const View wide = s.Floats(size);
    s.Along<2>(size, [&](CallSteps s, View dst, View src) {
        Widened(s, half, wide, dst, src,
                [&](View dst, View src) { Arctangent(s, dst, src, work); });
    });
}

void AtanhSteps(CallSteps s) {
    const bool half = s.Half();
    s.Along<2>(s.Part(half ? 2 : 1), [&](CallSteps s, View dst, View src) {
        const View wide = WorkOf(s, 0), a = WorkOf(s, half ? 1 : 0);
        const View x = half ? wide : dst;
        s.If(half).Cast(wide, src);
        s.Adds(a, half ? wide : src);
        s.Muls(x, half ? wide : src);
        s.Adds(x, x);
        s.Div(x, a, x);
        s.Ln(x, x);
        s.Muls(x, x);
        s.If(half).NoBarrier().Cast(dst, wide);
    });
}

}  // namespace twin
