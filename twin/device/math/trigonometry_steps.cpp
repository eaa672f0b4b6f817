// SPDX-License-Identifier: Apache-2.0
#include "core/library_steps.h"
#include "device/library/elementwise.h"

namespace twin {
namespace {

/// Lists `times` subtractions of a multiple of k from x: Muls into the scratch `part`, then Sub.
void MinusMultiples(CallSteps s, int64_t times, View x, View k, View part) {
    for (int64_t i = 0; i < times; ++i) {
        s.Muls(part, k);
        s.Sub(x, x, part);
    }
}

void SineOfRest(CallSteps s, View dst, View x, View k, View square) {
    s.Mul(square, x, x);
    s.Muls(dst, k);
    s.Cast(dst, dst);
    s.Muls(dst, dst);
    s.Muls(k, k);
    s.Add(dst, dst, k);
    s.Adds(dst, dst);
    s.Muls(k, square);
    s.Adds(k, k);
    for (int64_t i = 0; i < 3; ++i) {
        s.Mul(k, k, square);
        s.Adds(k, k);
    }
    s.Mul(k, k, x);
    s.Mul(dst, k, dst);
}

void Sine(CallSteps s, View dst, View src, View x, View k, View part) {
    s.Muls(k, src);
    s.Cast(k, k);
    s.Muls(part, k);
    s.Sub(x, src, part);
    MinusMultiples(s, 3, x, k, part);
    SineOfRest(s, dst, x, k, part);
}

void Cosine(CallSteps s, View dst, View src, View x, View k, View part) {
    s.Muls(k, src);
    s.Adds(k, k);
    s.Cast(k, k);
    s.Muls(part, k);
    s.Sub(x, src, part);
    MinusMultiples(s, 1, x, k, part);
    s.Adds(x, x);
    MinusMultiples(s, 3, x, k, part);
    s.Adds(x, x);
    SineOfRest(s, dst, x, k, part);
    s.Mins(dst, dst);
    s.Maxs(dst, dst);
}

using Waves = void (*)(CallSteps s, View dst, View src, View x, View k, View part);

void WavePieces(CallSteps s, Waves waves) {
    const bool half = s.Half(), spent = s.Has(advanced::ElementwiseForm::kReuse) && !half;
    const int64_t size = s.Part(half ? 4 : spent ? 2 : 3);
    const View wide = s.Floats(half ? size : 0);
    const View k = s.Floats(size), part = s.Floats(size), x = s.Floats(size);
    s.Along<2>(size, [&](CallSteps s, View dst, View src) {
        Widened(s, half, wide, dst, src,
                [&](View dst, View src) { waves(s, dst, src, spent ? src : x, k, part); });
    });
}

void Tangent(CallSteps s, View dst, View x, View k, View a, View b) {
    s.Muls(k, x);
    s.Cast(k, k);
    MinusMultiples(s, 2, x, k, dst);
    s.Adds(a, x);
    s.Adds(b, x);
    for (int64_t i = 0; i < 3; ++i) {
        s.Muls(dst, k);
        for (const View& rest : {x, a, b}) {
            s.Sub(rest, rest, dst);
        }
        if (i == 0) {
            s.Adds(a, a);
            s.Adds(b, b);
        }
    }
    s.Mul(k, x, x);
    s.Muls(dst, k);
    s.Adds(dst, dst);
    s.Mul(dst, dst, k);
    s.Adds(dst, dst);
    s.Mul(dst, dst, x);
    s.Adds(k, k);
    s.Mul(k, k, a);
    s.Mul(k, k, b);
    s.Div(dst, dst, k);
}

}  // namespace

void CosSteps(CallSteps s) { WavePieces(s, Cosine); }
void SinSteps(CallSteps s) { WavePieces(s, Sine); }

void TanSteps(CallSteps s) {
    s.Along<2>(s.Part(s.Half() ? 5 : 4), [](CallSteps s, View dst, View src) {
        const int64_t each = Up(s.n, 32) * 32;
        const View a = s.Buffer(Dtype::F32);
        const View b = a[each], c = b[each], d = c[each];
        if (s.Half()) {
            s.Cast(b, src);
            Tangent(s, a, b, c, d, d[each]);
            s.Cast(dst, a);
        } else {
            s.Adds(d, src);
            Tangent(s, dst, d, a, b, c);
        }
    });
}

void CoshSteps(CallSteps s) {
    const bool half = s.Half();
    const int64_t size = s.Part(half ? 3 : 2);
    const View a = s.Floats(size), b = s.Floats(size), wide = s.Floats(size);
    s.Along<2>(size, [&](CallSteps s, View dst, View src) {
        Widened(s, half, wide, dst, src, [&](View dst, View src) {
            s.Adds(b, src);
            s.Exp(a, b);
            s.Duplicate(dst);
            s.Div(b, dst, a);
            s.Add(dst, a, b);
        });
    });
}

void SinhSteps(CallSteps s) {
    const bool half = s.Half();
    const int64_t size = s.Part(half ? 2 : 1);
    const View a = s.Floats(size), b = s.Floats(size);
    s.Along<2>(size, [&](CallSteps s, View dst, View src) {
        const View sum = half ? b : dst;
        const auto grow = [&](View x) {
            s.Adds(sum, x);
            s.Exp(sum, sum);
        };
        if (half) {
            s.Cast(a, src);
            grow(a);
        }
        s.Muls(a, half ? a : src);
        s.Adds(a, a);
        s.Exp(a, a);
        if (!half) {
            grow(src);
        }
        s.Sub(sum, sum, a);
        s.If(half).Cast(dst, b);
    });
}

void TanhSteps(CallSteps s) {
    const bool half = s.Half();
    const int64_t size = s.Part(half ? 2 : 1);
    const View wide = s.Floats(half ? size : 0), clip = s.Floats(size);
    s.Along<2>(size, [&](CallSteps s, View dst, View src) {
        Widened(s, half, wide, dst, src, [&](View dst, View src) {
            s.Mins(clip, src);
            s.Maxs(clip, clip);
            s.Muls(clip, clip);
            s.Exp(clip, clip);
            s.Adds(dst, clip);
            s.Adds(clip, clip);
            s.Div(dst, dst, clip);
        });
    });
}

}  // namespace twin
