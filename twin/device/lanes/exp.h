// SPDX-License-Identifier: Apache-2.0
#pragma once

// Everything here has internal linkage, see convert.h.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/float16.h"
#include "device/lanes/convert.h"

namespace {

// Constants of ExpFloats, which computes exp with x = n * ln2 + r and |r| <= ln2/2. ln2 is split
// into two parts; the first has few digits, so that its product with n is exact. The rounding error
// of r is added back later. The result is 2^n * (1 + r + r^2 * q(r)) with q of degree 4
// (interpolated at Chebyshev nodes). It is within one unit in the last place of the exact value,
// including overflow and gradual underflow. A NaN passes through.
constexpr float kExpLog2e = 0x1.715476p+0F;
constexpr float kExpShifter = 0x1.8p23F;  // adding it leaves the integer in the low mantissa bits
constexpr float kExpLn2High = 0x1.63p-1F;
constexpr float kExpLn2Low = -0x1.bd0106p-13F;
constexpr float kExpC0 = 0x1.0p-1F;
constexpr float kExpC1 = 0x1.5554dcp-3F;
constexpr float kExpC2 = 0x1.55551ap-5F;
constexpr float kExpC3 = 0x1.120b6ep-7F;
constexpr float kExpC4 = 0x1.6d110ap-10F;
/// exp(x) as a float is infinity for x above kExpTop, and zero for x below kExpBottom.
constexpr float kExpTop = 89.0F;
constexpr float kExpBottom = -104.0F;

#if defined(__AVX512F__)
/// Computes exp of sixteen floats like ExpFloats. One instruction multiplies by 2^n; it rounds like
/// the two multiplications in ExpFloats.
inline __m512 ExpSixteen(__m512 x) {
    const __m512 shifter = _mm512_set1_ps(kExpShifter);
    x = _mm512_max_ps(_mm512_set1_ps(kExpBottom), _mm512_min_ps(_mm512_set1_ps(kExpTop), x));
    const __m512 n =
        _mm512_sub_ps(_mm512_add_ps(_mm512_mul_ps(x, _mm512_set1_ps(kExpLog2e)), shifter), shifter);
    const __m512 high = _mm512_sub_ps(x, _mm512_mul_ps(n, _mm512_set1_ps(kExpLn2High)));
    const __m512 low = _mm512_mul_ps(n, _mm512_set1_ps(kExpLn2Low));
    const __m512 r = _mm512_sub_ps(high, low);
    const __m512 lost = _mm512_sub_ps(_mm512_sub_ps(high, r), low);
    __m512 q = _mm512_set1_ps(kExpC4);
    q = _mm512_add_ps(_mm512_mul_ps(q, r), _mm512_set1_ps(kExpC3));
    q = _mm512_add_ps(_mm512_mul_ps(q, r), _mm512_set1_ps(kExpC2));
    q = _mm512_add_ps(_mm512_mul_ps(q, r), _mm512_set1_ps(kExpC1));
    q = _mm512_add_ps(_mm512_mul_ps(q, r), _mm512_set1_ps(kExpC0));
    const __m512 square = _mm512_mul_ps(_mm512_mul_ps(r, r), q);
    const __m512 t = _mm512_add_ps(r, _mm512_add_ps(square, lost));
    return _mm512_scalef_ps(_mm512_add_ps(_mm512_set1_ps(1.0F), t), n);
}

inline size_t ExpWide(float* dst, const float* src, size_t count) {
    size_t i = 0;
    for (; i + 16 <= count; i += 16) {
        _mm512_storeu_ps(dst + i, ExpSixteen(_mm512_loadu_ps(src + i)));
    }
    return i;
}
#else
inline size_t ExpWide(float*, const float*, size_t) { return 0; }
#endif

/// Computes exp of `count` floats; dst may be src.
inline void ExpFloats(float* dst, const float* src, size_t count) {
#pragma GCC ivdep
    for (size_t i = ExpWide(dst, src, count); i < count; ++i) {
        float x = src[i];
        x = x > kExpTop ? kExpTop : x;
        x = x < kExpBottom ? kExpBottom : x;
        const float shifted = x * kExpLog2e + kExpShifter;
        const float n = shifted - kExpShifter;
        const float high = x - n * kExpLn2High;
        const float low = n * kExpLn2Low;
        const float r = high - low;
        const float lost = (high - r) - low;
        float q = kExpC4;
        q = q * r + kExpC3;
        q = q * r + kExpC2;
        q = q * r + kExpC1;
        q = q * r + kExpC0;
        const float t = r + (r * r * q + lost);
        // Multiplies twice, because 2^n may not be a normal float. The first product is exact.
        const int32_t whole = static_cast<int32_t>(twin::BitsOf(shifted) << 9) >> 9;
        const int32_t first = whole >> 1;
        const float scaled = (1.0F + t) * twin::FloatOf(static_cast<uint32_t>(first + 127) << 23);
        dst[i] = scaled * twin::FloatOf(static_cast<uint32_t>(whole - first + 127) << 23);
    }
}

/// Computes exp of floats that were half, for results that become half: 2^n * p(r) in float, where
/// |r| <= ln2/2 and p is a polynomial of degree 4 (interpolated at Chebyshev nodes). The relative
/// error is below 5e-6, a hundredth of half's last digit. A NaN stays NaN, because the low bits of
/// `shifted` are then zero, and the factor for 2^n is 1.
inline void ExpForHalf(float* dst, const float* src, size_t count) {
    constexpr float kLog2e = 0x1.715476p+0F;
    constexpr float kLn2 = 0x1.62e43p-1F;
    constexpr float kShifter = 0x1.8p23F;
#pragma GCC ivdep
    for (size_t i = 0; i < count; ++i) {
        float x = src[i];
        x = x > 12.0F ? 12.0F : x;
        x = x < -30.0F ? -30.0F : x;
        const float shifted = x * kLog2e + kShifter;
        const float r = x - (shifted - kShifter) * kLn2;
        float p = 0x1.570b98p-5F;
        p = p * r + 0x1.57e730p-3F;
        p = p * r + 0x1.fffe5ap-2F;
        p = p * r + 0x1.fffb0ep-1F;
        p = p * r + 1.0F;
        dst[i] = p * twin::FloatOf((twin::BitsOf(shifted) + 127U) << 23);
    }
}

/// Computes the natural logarithm of floats in double: x = 2^e * m with m between sqrt(1/2) and
/// sqrt(2), log(m) = 2 s (1 + s^2 q(s^2)) with s = (m - 1) / (m + 1). The polynomial's error is
/// 2e-11, so the float result is correctly rounded, except in rare cases near a tie.
inline void LogFloats(float* dst, const float* src, size_t count) {
    constexpr double kLn2 = 0x1.62e42fefa39efp-1;
    constexpr uint64_t kSqrtHalf = 0x3FE6A09E667F3BCDU;  // bits of sqrt(1/2)
#pragma GCC ivdep
    for (size_t i = 0; i < count; ++i) {
        const float input = src[i];
        const auto x = static_cast<double>(input);  // subnormal floats are normal doubles
        uint64_t bits;
        std::memcpy(&bits, &x, sizeof(bits));
        // `shifted` is 1024 + e. `biased` contains the bits of the double 2^52 + 1024 + e.
        const uint64_t shifted = ((bits - kSqrtHalf) >> 52) + 1024U;
        const uint64_t biased = (shifted & 0xFFFU) | 0x4330000000000000U;
        double e;
        std::memcpy(&e, &biased, sizeof(e));
        e = e - (0x1p52 + 1024.0);
        const uint64_t restBits = bits - ((shifted - 1024U) << 52);
        double m;
        std::memcpy(&m, &restBits, sizeof(m));
        const double s = (m - 1.0) / (m + 1.0);
        const double z = s * s;
        double q = 0x1.dddba9713a552p-4;
        q = q * z + 0x1.245c0722352e4p-3;
        q = q * z + 0x1.9999ebe5e8b65p-3;
        q = q * z + 0x1.5555554b9d547p-2;
        const double twice = s + s;
        const double result = e * kLn2 + (twice + twice * (z * q));
        const float infinity = __builtin_huge_valf();
        const float nan = twin::FloatOf(0x7FC00000U);
        float value = static_cast<float>(result);
        value = input == infinity ? infinity : value;
        value = input == 0.0F ? -infinity : value;
        value = input < 0.0F ? nan : value;
        dst[i] = input != input ? twin::FloatOf(twin::BitsOf(input) | 0x400000U) : value;
    }
}

}  // namespace
