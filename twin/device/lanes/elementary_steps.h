// SPDX-License-Identifier: Apache-2.0
#pragma once

// Functions that the Ascend C library composes of vector instructions. Each instruction rounds, so
// `Run` does the same steps on a chunk of floats and rounds to T after each step. `Run` leaves the
// result in `x`; `y` is the second argument. Everything here has internal linkage, see convert.h.

#include "device/lanes/convert.h"
#include "device/lanes/exp.h"

namespace {

constexpr size_t kChunk = 512;  // this many floats fit into the first-level cache

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

/// Does the work of one instruction: sets each v[i] to f(v[i], i), rounded to T.
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
/// Sets each element of v to 1 + e^v.
template <typename T>
inline void OnePlusExp(float* v, size_t n) {
    ExpStep<T>(v, n);
    Step<T>(v, n, [](float a, size_t) { return a + 1.0F; });
}
/// Sets x = x / v. If `reciprocal` is true, multiplies x by the rounded reciprocal of v instead.
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
/// Log2 of half and of float; both are computed in float.
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

/// ExpTaylor: e^floor(x) times the Taylor series of e^(x - floor(x)), computed in float for each T.
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
