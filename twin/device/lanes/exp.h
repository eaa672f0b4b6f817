// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_LANES_EXP_H
#define TWIN_DEVICE_LANES_EXP_H

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace {

/// exp of floats through double: 2^n * p(r) with |r| <= ln2/2 and a Taylor polynomial of degree 9
/// (error below 7e-12), so that the result is the correctly rounded float except in about one case
/// in ten thousand. Conversion back to float does overflow and gradual underflow.
inline void ExpFloats(float* dst, const float* src, size_t count) {
    constexpr double kLog2e = 1.4426950408889634;
    constexpr double kLn2 = 0.69314718055994531;
    constexpr double kRoundToInteger =
        0x1.8p52;  // adding it leaves the integer in the low mantissa bits
#pragma GCC ivdep
    for (size_t i = 0; i < count; ++i) {
        const float input = src[i];
        // Comparisons that keep NaN: beyond these bounds the float result is infinity or zero
        // anyway.
        double x =
            static_cast<double>(input > 100.0F ? 100.0F : (input < -120.0F ? -120.0F : input));
        const double shifted = x * kLog2e + kRoundToInteger;
        const double n = shifted - kRoundToInteger;
        const double r = x - n * kLn2;
        double p = 1.0 / 362880.0;
        p = p * r + 1.0 / 40320.0;
        p = p * r + 1.0 / 5040.0;
        p = p * r + 1.0 / 720.0;
        p = p * r + 1.0 / 120.0;
        p = p * r + 1.0 / 24.0;
        p = p * r + 1.0 / 6.0;
        p = p * r + 0.5;
        p = p * r + 1.0;
        p = p * r + 1.0;
        uint64_t bits;
        std::memcpy(&bits, &shifted, sizeof(bits));
        const uint64_t scaleBits = (bits + 1023) << 52;
        double scale;
        std::memcpy(&scale, &scaleBits, sizeof(scale));
        const double result = p * scale;
        dst[i] = static_cast<float>(input != input ? static_cast<double>(input) : result);
    }
}

}  // namespace

#endif  // TWIN_DEVICE_LANES_EXP_H
