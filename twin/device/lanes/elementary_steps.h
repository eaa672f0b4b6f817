// SPDX-License-Identifier: Apache-2.0
#pragma once

// Functions that the library composes of vector instructions whose roundings show in the result:
// the same steps on a chunk of floats, rounded to T after each. Every Run leaves its result in `x`;
// `y` is the second argument. The lanes files include this header inside the namespace of one
// instruction set.

#include "device/lanes/convert.h"
#include "device/lanes/exp.h"

namespace {

constexpr size_t kChunk = 512;  // floats of a chunk fit the first-level cache

template <typename T>
inline void RoundTo(float*, size_t) {}
template <>
inline void RoundTo<F16>(float* v, size_t n) {
    alignas(64) F16 narrow[kChunk];
    NarrowHalf(narrow, v, n);
    WidenHalf(v, narrow, n);
}
template <typename T>
inline float Constant(double value) {
    return ToFloat(FromFloat<T>(static_cast<float>(value)));
}

/// One instruction: v[i] = f(v[i], i).
template <typename T, typename F>
inline void Step(float* v, size_t n, F f) {
#pragma GCC ivdep
    for (size_t i = 0; i < n; ++i) {
        v[i] = f(v[i], i);
    }
    RoundTo<T>(v, n);
}
template <typename T>
inline void ExpStep(float* v, size_t n) {
    ExpFloats(v, v, n);
}
template <>
inline void ExpStep<F16>(float* v, size_t n) {
    ExpForHalf(v, v, n);
    RoundTo<F16>(v, n);
}
/// v = 1 + e^v
template <typename T>
inline void OnePlusExp(float* v, size_t n) {
    ExpStep<T>(v, n);
    Step<T>(v, n, [](float a, size_t) { return a + 1.0F; });
}
/// x = x / v, or x times the rounded reciprocal of v.
template <typename T>
inline void Quotient(float* x, float* v, size_t n, bool reciprocal) {
    if (reciprocal) {
        Step<T>(v, n, [](float a, size_t) { return 1.0F / a; });
        Step<T>(x, n, [v](float a, size_t i) { return a * v[i]; });
    } else {
        Step<T>(x, n, [v](float a, size_t i) { return a / v[i]; });
    }
}

struct LogSteps {
    template <typename T>
    static void Run(float* x, const float*, const float*, size_t n) {
        LogFloats(x, x, n);
    }
};
/// Both types are computed in float.
struct Log2Steps {
    template <typename T>
    static void Run(float* x, const float*, const float*, size_t n) {
        LogFloats(x, x, n);
        Step<float>(x, n, [](float a, size_t) { return a * 1.4426950408889634F; });
    }
};
struct Log10Steps {
    template <typename T>
    static void Run(float* x, const float*, const float*, size_t n) {
        const float factor = Constant<T>(0.43429448190325176);
        LogFloats(x, x, n);
        RoundTo<T>(x, n);
        Step<T>(x, n, [factor](float a, size_t) { return a * factor; });
    }
};

/// e^floor(x) times the series of the rest; both types are computed in float.
struct ExpTaylorSteps {
    template <typename T>
    static void Run(float* x, const float*, const float* terms, size_t n) {
        alignas(64) float whole[kChunk];
        alignas(64) float power[kChunk];
        alignas(64) float rest[kChunk];
        for (size_t i = 0; i < n; ++i) {
            whole[i] = __builtin_floorf(x[i]);
            rest[i] = x[i] - whole[i];
            power[i] = rest[i];
            x[i] = rest[i] + 1.0F;
        }
        ExpFloats(whole, whole, n);
        for (int k = 2; k <= static_cast<int>(terms[0]); ++k) {
            const float factor = 1.0F / static_cast<float>(k);
            for (size_t i = 0; i < n; ++i) {
                const float raised = rest[i] * power[i];
                power[i] = raised * factor;
                x[i] = x[i] + power[i];
            }
        }
        for (size_t i = 0; i < n; ++i) {
            x[i] = x[i] * whole[i];
        }
    }
};

}  // namespace
