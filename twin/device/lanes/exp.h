// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_LANES_EXP_H
#define TWIN_DEVICE_LANES_EXP_H

// Included by the lanes files inside the namespace of one instruction set, like convert.h.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "device/lanes/convert.h"

namespace {

// exp of floats through double: x * 8/ln2 = n + f with |f| <= 1/2; the result is 2^(n/8) from a
// table and the exponent bits, times a polynomial of degree 4 in f (interpolated at Chebyshev
// nodes, error below 2e-10). So the float result is correctly rounded except in about one case in
// two hundred, and then it is the other neighbour. Conversion back to float does overflow and
// gradual underflow. A NaN passes through: as a double its low bits are zero, so its scale is 1.
constexpr double kExpScale = 0x1.71547652b82fep+3;
constexpr double kExpShifter = 0x1.8p52;  // adding it leaves the integer in the low mantissa bits
constexpr double kExpC1 = 0x1.62e42fd9cadf1p-4;
constexpr double kExpC2 = 0x1.ebfbdfee13fa2p-9;
constexpr double kExpC3 = 0x1.c6bb79cc3b21fp-14;
constexpr double kExpC4 = 0x1.3b2fc329a4157p-19;
/// Beyond these the float result is infinity or zero anyway.
constexpr float kExpHigh = 100.0F;
constexpr float kExpLow = -120.0F;

/// Bits of 2^(j/8).
alignas(64) constexpr uint64_t kExpRoots[8] = {
    0x3FF0000000000000U, 0x3FF172B83C7D517BU, 0x3FF306FE0A31B715U, 0x3FF4BFDAD5362A27U,
    0x3FF6A09E667F3BCDU, 0x3FF8ACE5422AA0DBU, 0x3FFAE89F995AD3ADU, 0x3FFD5818DCFBA487U};

#if defined(__AVX512F__)
/// The same steps with f and n an eighth as large, which changes no digit, and with two
/// instructions that make bounds unnecessary: the fraction of an infinity is 0, and scaling
/// overflows and underflows as it should.
inline __m512d ExpDoubles(__m512d x) {
    const __m512d shifter = _mm512_set1_pd(kExpShifter / 8);
    const __m512d y = _mm512_mul_pd(x, _mm512_set1_pd(kExpScale / 8));
    const __m512d shifted = _mm512_add_pd(y, shifter);
    const __m512d f = _mm512_reduce_pd(y, 3 << 4);  // less the nearest multiple of 2^-3
    __m512d p = _mm512_set1_pd(kExpC4 * 4096);
    p = _mm512_add_pd(_mm512_mul_pd(p, f), _mm512_set1_pd(kExpC3 * 512));
    p = _mm512_add_pd(_mm512_mul_pd(p, f), _mm512_set1_pd(kExpC2 * 64));
    p = _mm512_add_pd(_mm512_mul_pd(p, f), _mm512_set1_pd(kExpC1 * 8));
    p = _mm512_add_pd(_mm512_mul_pd(p, f), _mm512_set1_pd(1.0));
    const __m512i place = _mm512_castpd_si512(shifted);
    const __m512i root = _mm512_permutexvar_epi64(place, _mm512_load_si512(kExpRoots));
    return _mm512_scalef_pd(_mm512_mul_pd(p, _mm512_castsi512_pd(root)),
                            _mm512_sub_pd(shifted, shifter));
}

inline size_t ExpWide(float* dst, const float* src, size_t count) {
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        const __m512d x = _mm512_cvtps_pd(_mm256_loadu_ps(src + i));
        _mm256_storeu_ps(dst + i, _mm512_cvtpd_ps(ExpDoubles(x)));
    }
    return i;
}
#else
inline size_t ExpWide(float*, const float*, size_t) { return 0; }
#endif

/// dst may be src.
inline void ExpFloats(float* dst, const float* src, size_t count) {
#pragma GCC ivdep
    for (size_t i = ExpWide(dst, src, count); i < count; ++i) {
        float x = src[i];
        x = x > kExpHigh ? kExpHigh : x;
        x = x < kExpLow ? kExpLow : x;
        const double y = static_cast<double>(x) * kExpScale;
        const double shifted = y + kExpShifter;
        const double f = y - (shifted - kExpShifter);
        double p = kExpC4;
        p = p * f + kExpC3;
        p = p * f + kExpC2;
        p = p * f + kExpC1;
        p = p * f + 1.0;
        uint64_t bits;
        std::memcpy(&bits, &shifted, sizeof(bits));
        const uint64_t j = bits & 7U;  // the table has the last three digits of n already
        const uint64_t scaleBits = kExpRoots[j] + ((bits - j) << 49);
        double scale;
        std::memcpy(&scale, &scaleBits, sizeof(scale));
        dst[i] = static_cast<float>(p * scale);
    }
}

/// exp good enough for results that become half, of floats that were half: 2^n * p(r) in float with
/// |r| <= ln2/2 and a polynomial of degree 4 (interpolated at Chebyshev nodes), relative error
/// below 5e-6, which is a hundredth of half's last digit. A NaN passes through: its low bits are
/// zero, so that its scale is 1.
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

}  // namespace

#endif  // TWIN_DEVICE_LANES_EXP_H
