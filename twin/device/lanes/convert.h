// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_LANES_CONVERT_H
#define TWIN_DEVICE_LANES_CONVERT_H

// Included by the lanes files inside the namespace of one instruction set: everything here has
// internal linkage, because the linker must never merge code that was compiled for different
// processors.

#if defined(__F16C__)
#include <immintrin.h>
#endif

#include <cstring>

#include "core/float16.h"
#include "device/lanes/cast.h"

namespace {

using twin::lanes::Round;

/// Element types as bit patterns that know how to become float and back.
struct F16 {
    uint16_t bits;
};
struct Bf16 {
    uint16_t bits;
};

inline float ToFloat(float value) { return value; }
inline float ToFloat(F16 value) {
#if defined(__F16C__)
    return _cvtsh_ss(value.bits);
#else
    return twin::HalfToFloat(value.bits);
#endif
}
inline float ToFloat(Bf16 value) { return twin::Bfloat16ToFloat(value.bits); }

template <typename T>
inline T FromFloat(float value);
template <>
inline float FromFloat<float>(float value) {
    return value;
}
template <>
inline F16 FromFloat<F16>(float value) {
#if defined(__F16C__)
    return F16{_cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT)};
#else
    return F16{twin::FloatToHalf(value)};
#endif
}
template <>
inline Bf16 FromFloat<Bf16>(float value) {
    return Bf16{twin::FloatToBfloat16(value)};
}

// Compilers do not turn the conversion of half into vector code by themselves: the wide steps are
// written out.
inline void WidenHalf(float* dst, const F16* src, size_t count) {
    size_t i = 0;
#if defined(__AVX512F__)
    for (; i + 16 <= count; i += 16) {
        _mm512_storeu_ps(
            dst + i,
            _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(src + i))));
    }
#elif defined(__F16C__)
    for (; i + 8 <= count; i += 8) {
        _mm256_storeu_ps(
            dst + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(src + i))));
    }
#endif
    for (; i < count; ++i) {
        dst[i] = ToFloat(src[i]);
    }
}

inline void NarrowHalf(F16* dst, const float* src, size_t count) {
    size_t i = 0;
#if defined(__AVX512F__)
    for (; i + 16 <= count; i += 16) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(dst + i),
                            _mm512_cvtps_ph(_mm512_loadu_ps(src + i), _MM_FROUND_TO_NEAREST_INT));
    }
#elif defined(__F16C__)
    for (; i + 8 <= count; i += 8) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(dst + i),
                         _mm256_cvtps_ph(_mm256_loadu_ps(src + i), _MM_FROUND_TO_NEAREST_INT));
    }
#endif
    for (; i < count; ++i) {
        dst[i] = FromFloat<F16>(src[i]);
    }
}

/// `value` cut to a number whose low `drop` mantissa bits are zero, in the given direction. Exact
/// for results that the narrower type can hold; used for the modes that hosts have no instruction
/// for.
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

/// Mantissa bits of a float that half cannot keep: 13, and more below half's smallest normal
/// number.
inline uint32_t HalfDrop(float value) {
    const int exponent = static_cast<int>((twin::BitsOf(value) >> 23) & 0xFFU) - 127;
    return exponent >= -14 ? 13U : static_cast<uint32_t>(13 + (-14 - exponent));
}

inline F16 NarrowHalfDirected(float value, Round round) {
    constexpr float kMaxHalf = 65504.0F;
    const float magnitude = value < 0 ? -value : value;
    const float sign = twin::BitsOf(value) >> 31 != 0 ? -1.0F : 1.0F;
    if (magnitude > kMaxHalf && magnitude < __builtin_huge_valf()) {
        // Beyond the largest number the direction decides between it and infinity.
        const bool toward = round == Round::Trunc || round == Round::Odd ||
                            (round == Round::Floor && sign > 0) ||
                            (round == Round::Ceil && sign < 0);
        const bool up = (round == Round::Nearest && magnitude >= 65520.0F) ||
                        round == Round::Floor || round == Round::Ceil;
        return FromFloat<F16>(toward || !up ? sign * kMaxHalf : sign * __builtin_huge_valf());
    }
    const uint32_t drop = HalfDrop(value);
    if (drop > 23) {  // below the smallest subnormal: zero or that subnormal
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

// Elements as floats; exact for every type but int32_t, which is rounded to nearest even.
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

#endif  // TWIN_DEVICE_LANES_CONVERT_H
