// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_LANES_LOG_H
#define TWIN_DEVICE_LANES_LOG_H

// The lanes files include this header inside the namespace of one instruction set, like convert.h.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/float16.h"

namespace {

/// Natural logarithm of floats, computed in double: x = 2^e * m with m between sqrt(1/2) and
/// sqrt(2), log(m) = 2 s (1 + s^2 q(s^2)) with s = (m - 1) / (m + 1). With the polynomial's error
/// (2e-11) and the roundings of the steps, the float result is correctly rounded except for rare
/// near ties.
inline void LogFloats(float* dst, const float* src, size_t count) {
    constexpr double kLn2 = 0x1.62e42fefa39efp-1;
    constexpr uint64_t kSqrtHalf = 0x3FE6A09E667F3BCDU;  // bits of sqrt(1/2)
#pragma GCC ivdep
    for (size_t i = 0; i < count; ++i) {
        const float input = src[i];
        const auto x = static_cast<double>(input);  // subnormal floats are normal doubles
        uint64_t bits;
        std::memcpy(&bits, &x, sizeof(bits));
        // The exponent that brings the rest into range, as the low mantissa bits of 2^52 + 1024.
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

#endif  // TWIN_DEVICE_LANES_LOG_H
