// SPDX-License-Identifier: Apache-2.0
#pragma once

// Activation functions that round like the Ascend C library, see elementary_steps.h.

#include "device/lanes/elementary_steps.h"

namespace {

struct SigmoidSteps {
    template <typename T>
    static void Run(float* x, const float*, const float*, size_t n) {
        Step<T>(x, n, [](float a, size_t) { return -a; });
        OnePlusExp<T>(x, n);
        Step<T>(x, n, [](float a, size_t) { return 1.0F / a; });
    }
};
/// Sets x = x / (1 + e^(factor * x)), or multiplies by the reciprocal if `reciprocal` is true.
template <typename T>
inline void Gate(float* x, size_t n, float factor, bool reciprocal) {
    alignas(64) float v[kChunk];
    std::memcpy(v, x, n * sizeof(float));
    Step<T>(v, n, [factor](float a, size_t) { return a * factor; });
    OnePlusExp<T>(v, n);
    Quotient<T>(x, v, n, reciprocal);
}
struct SiluSteps {
    template <typename T>
    static void Run(float* x, const float*, const float*, size_t n) {
        Gate<T>(x, n, -1.0F, false);
    }
};
struct SwishSteps {
    template <typename T>
    static void Run(float* x, const float*, const float* scalar, size_t n) {
        Gate<T>(x, n, scalar[0], false);
    }
};
struct FasterGeluSteps {
    template <typename T>
    static void Run(float* x, const float*, const float* scalar, size_t n) {
        Gate<T>(x, n, Constant<T>(-1.702), scalar[0] != 0.0F);
    }
};

/// Gelu: x / (1 + e^-|y|) * e^min(y, 0), y = 1.5957691 (x + 0.044715 x^3); no power of e overflows.
struct GeluSteps {
    template <typename T>
    static void Run(float* x, const float*, const float* scalar, size_t n) {
        alignas(64) float a[kChunk];
        alignas(64) float b[kChunk];
        const float cubic = Constant<T>(0.044715);
        const float scale = Constant<T>(1.5957691216057308);
        std::memcpy(a, x, n * sizeof(float));
        Step<T>(a, n, [](float v, size_t) { return v * v; });
        Step<T>(a, n, [x](float v, size_t i) { return x[i] * v; });
        Step<T>(a, n, [cubic](float v, size_t) { return v * cubic; });
        Step<T>(a, n, [x](float v, size_t i) { return x[i] + v; });
        Step<T>(a, n, [scale](float v, size_t) { return v * scale; });
        std::memcpy(b, a, n * sizeof(float));
        Step<T>(b, n, [](float v, size_t) { return (v < 0.0F || v != v) ? v : 0.0F; });
        ExpStep<T>(b, n);
        Step<T>(a, n, [](float v, size_t) { return -__builtin_fabsf(v); });
        OnePlusExp<T>(a, n);
        Quotient<T>(x, a, n, scalar[0] != 0.0F);
        Step<T>(x, n, [&b](float v, size_t i) { return v * b[i]; });
    }
};

/// FasterGeluV2: x * (sign(x) (0.5 - 0.1444 (min(|0.7071 x|, 1.769) - 1.769)^2) + 0.5)
struct FasterGeluV2Steps {
    template <typename T>
    static void Run(float* x, const float*, const float* scalar, size_t n) {
        alignas(64) float a[kChunk];
        alignas(64) float b[kChunk];
        alignas(64) float c[kChunk];
        const float root = Constant<T>(0.7071);
        const float knee = Constant<T>(1.769);
        const float bend = Constant<T>(-0.1444);
        const float tiny = Constant<T>(1e-12);  // is 0 in half, where x = 0 gives 0 / 0
        std::memcpy(a, x, n * sizeof(float));
        Step<T>(a, n, [root](float v, size_t) { return __builtin_fabsf(v * root); });
        Step<T>(a, n, [knee](float v, size_t) { return (v < knee || v != v) ? v : knee; });
        Step<T>(a, n, [knee](float v, size_t) { return v - knee; });
        Step<T>(a, n, [](float v, size_t) { return v * v; });
        Step<T>(a, n, [bend](float v, size_t) { return v * bend; });
        Step<T>(a, n, [](float v, size_t) { return v + 0.5F; });
        std::memcpy(b, x, n * sizeof(float));
        Step<T>(b, n, [tiny](float v, size_t) { return v + tiny; });
        std::memcpy(c, b, n * sizeof(float));
        Step<T>(c, n, [](float v, size_t) { return __builtin_fabsf(v); });
        Quotient<T>(b, c, n, scalar[0] != 0.0F);
        Step<T>(a, n, [&b](float v, size_t i) { return v * b[i]; });
        Step<T>(a, n, [](float v, size_t) { return v + 0.5F; });
        Step<T>(x, n, [&a](float v, size_t i) { return v * a[i]; });
    }
};

/// SwiGlu, GeGlu and ReGlu multiply x by an activation of y, in float for every element type.
struct SwiGluSteps {
    template <typename T>
    static void Run(float* x, const float* y, const float* scalar, size_t n) {
        alignas(64) float v[kChunk];
        std::memcpy(v, y, n * sizeof(float));
        Gate<float>(v, n, scalar[0], false);
        Step<float>(x, n, [&v](float a, size_t i) { return a * v[i]; });
    }
};
struct GeGluSteps {
    template <typename T>
    static void Run(float* x, const float* y, const float*, size_t n) {
        alignas(64) float v[kChunk];
        for (size_t i = 0; i < n; ++i) {
            const float inner = (y[i] * y[i] + 2.2363860002236e1F) * y[i];
            v[i] = inner * -0.0713548162726F;
        }
        OnePlusExp<float>(v, n);
        for (size_t i = 0; i < n; ++i) {
            const float gelu = y[i] / v[i];
            x[i] = x[i] * gelu;
        }
    }
};
struct ReGluSteps {
    template <typename T>
    static void Run(float* x, const float* y, const float*, size_t n) {
        for (size_t i = 0; i < n; ++i) {
            x[i] = x[i] * ((y[i] > 0.0F || y[i] != y[i]) ? y[i] : 0.0F);
        }
    }
};

}  // namespace
