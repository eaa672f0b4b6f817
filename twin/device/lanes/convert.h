// SPDX-License-Identifier: Apache-2.0
#pragma once

// The files device/lanes/*_lanes.cpp include this header and are compiled once per instruction set.
// Everything here has internal linkage, because the linker must never merge code that was compiled
// for different processors.

#if defined(__F16C__)
#include <immintrin.h>
#endif

#include <cstring>

#include "device/lanes/arithmetic.h"
#include "device/lanes/element.h"

namespace {

using twin::lanes::Round;

// Compilers do not vectorise conversions between half and float, so this file uses intrinsics.
// TWIN_WIDE_HALF means that the host has instructions for these conversions.
#if defined(__AVX512F__)
#define TWIN_WIDE_HALF
using Floats = __m512;
inline Floats LoadHalf(const F16* src) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(src)));
}
inline void StoreHalf(F16* dst, Floats values) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(dst),
                        _mm512_cvtps_ph(values, _MM_FROUND_TO_NEAREST_INT));
}
inline Floats LoadFloats(const float* src) { return _mm512_loadu_ps(src); }
inline void StoreFloats(float* dst, Floats values) { _mm512_storeu_ps(dst, values); }
inline Floats Spread(float value, Floats) { return _mm512_set1_ps(value); }
inline Floats Sqrt(Floats values) { return _mm512_sqrt_ps(values); }
inline Floats Abs(Floats values) { return _mm512_abs_ps(values); }
#elif defined(__F16C__)
#define TWIN_WIDE_HALF
using Floats = __m256;
inline Floats LoadHalf(const F16* src) {
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(src)));
}
inline void StoreHalf(F16* dst, Floats values) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(dst),
                     _mm256_cvtps_ph(values, _MM_FROUND_TO_NEAREST_INT));
}
inline Floats LoadFloats(const float* src) { return _mm256_loadu_ps(src); }
inline void StoreFloats(float* dst, Floats values) { _mm256_storeu_ps(dst, values); }
inline Floats Spread(float value, Floats) { return _mm256_set1_ps(value); }
inline Floats Sqrt(Floats values) { return _mm256_sqrt_ps(values); }
inline Floats Abs(Floats values) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0F), values); }
#endif
/// Returns `value`, or a vector register filled with `value` if the second argument is a register.
inline float Spread(float value, float) { return value; }
inline float Sqrt(float value) { return __builtin_sqrtf(value); }
inline float Abs(float value) { return __builtin_fabsf(value); }

inline void WidenHalf(float* dst, const F16* src, size_t count) {
    size_t i = 0;
#ifdef TWIN_WIDE_HALF
    constexpr size_t kWide = sizeof(Floats) / sizeof(float);
    for (; i + kWide <= count; i += kWide) {
        StoreFloats(dst + i, LoadHalf(src + i));
    }
#endif
    for (; i < count; ++i) {
        dst[i] = ToFloat(src[i]);
    }
}

inline void NarrowHalf(F16* dst, const float* src, size_t count) {
    size_t i = 0;
#ifdef TWIN_WIDE_HALF
    constexpr size_t kWide = sizeof(Floats) / sizeof(float);
    for (; i + kWide <= count; i += kWide) {
        StoreHalf(dst + i, LoadFloats(src + i));
    }
#endif
    for (; i < count; ++i) {
        dst[i] = FromFloat<F16>(src[i]);
    }
}

/// Rounds `value` in the direction of `round` to a number whose low `drop` mantissa bits are zero.
/// Serves the rounding modes that no host instruction has. FromFloat then converts the result to
/// half or bfloat16 without another rounding.
inline float CutMantissa(float value, uint32_t drop, Round round) {
    const uint32_t bits = twin::BitsOf(value);
    if ((bits & 0x7F800000U) == 0x7F800000U) {
        return value;
    }
    const uint32_t low = (1U << drop) - 1U;
    const bool inexact = (bits & low) != 0;
    const bool negative = (bits >> 31) != 0;
    const uint32_t truncated = bits & ~low;
    const bool away = (round == Round::Floor && negative) || (round == Round::Ceil && !negative) ||
                      (round == Round::Nearest && (bits & low) >= (1U << (drop - 1)));
    if (round == Round::Odd) {
        return twin::FloatOf(truncated | (inexact ? 1U << drop : 0U));
    }
    return twin::FloatOf(truncated + (inexact && away ? 1U << drop : 0U));
}

/// Returns the number of mantissa bits of `value` that half cannot keep: 13, and more if `value` is
/// below half's smallest normal number.
inline uint32_t HalfDrop(float value) {
    const int exponent = static_cast<int>((twin::BitsOf(value) >> 23) & 0xFFU) - 127;
    return exponent >= -14 ? 13U : static_cast<uint32_t>(13 + (-14 - exponent));
}

inline F16 NarrowHalfDirected(float value, Round round) {
    constexpr float kMaxHalf = 65504.0F;
    const float magnitude = value < 0 ? -value : value;
    const float sign = twin::BitsOf(value) >> 31 != 0 ? -1.0F : 1.0F;
    if (magnitude > kMaxHalf && magnitude < __builtin_huge_valf()) {
        // Above the largest half, the direction decides between that half and infinity.
        const bool toward = round == Round::Trunc || round == Round::Odd ||
                            (round == Round::Floor && sign > 0) ||
                            (round == Round::Ceil && sign < 0);
        const bool up = (round == Round::Nearest && magnitude >= 65520.0F) ||
                        round == Round::Floor || round == Round::Ceil;
        return FromFloat<F16>(toward || !up ? sign * kMaxHalf : sign * __builtin_huge_valf());
    }
    const uint32_t drop = HalfDrop(value);
    if (drop > 23) {  // below the smallest subnormal: the result is zero or that subnormal
        const float smallest = 0x1p-24F;
        const bool away =
            magnitude > 0 &&
            ((round == Round::Floor && sign < 0) || (round == Round::Ceil && sign > 0) ||
             (round == Round::Nearest && magnitude >= 0x1p-25F) || round == Round::Odd);
        return FromFloat<F16>(away ? sign * smallest : sign * 0.0F);
    }
    return FromFloat<F16>(CutMantissa(value, drop, round));
}

inline void NarrowHalf(F16* dst, const float* src, size_t count, Round round) {
    if (round == Round::None || round == Round::Rint) {
        NarrowHalf(dst, src, count);
        return;
    }
    for (size_t i = 0; i < count; ++i) {
        dst[i] = NarrowHalfDirected(src[i], round);
    }
}

// Widen converts elements to float. This is exact for every type but int32_t, which is rounded to
// nearest even.
inline void Widen(float* dst, const float* src, size_t count) {
    std::memcpy(dst, src, count * sizeof(float));
}
inline void Widen(float* dst, const F16* src, size_t count) { WidenHalf(dst, src, count); }
inline void Widen(float* dst, const Bf16* src, size_t count) {
    auto* bits = reinterpret_cast<uint32_t*>(dst);
#pragma GCC ivdep
    for (size_t i = 0; i < count; ++i) {
        bits[i] = static_cast<uint32_t>(src[i].bits) << 16;
    }
}
template <typename I>
inline void Widen(float* dst, const I* src, size_t count) {
#pragma GCC ivdep
    for (size_t i = 0; i < count; ++i) {
        dst[i] = static_cast<float>(src[i]);
    }
}

}  // namespace
