// SPDX-License-Identifier: Apache-2.0
#pragma once

// Elementary functions in double, whose results become float. Their errors are below 1e-11, so the
// float is correctly rounded, except in rare cases near a tie. Arguments were floats, so no double
// is subnormal. There are no branches and no library calls, so that loops become vector code and
// every host gives the same bits. The functions have internal linkage, see convert.h.

#include <cstdint>
#include <cstring>

namespace {

constexpr double kRealShifter = 0x1.8p52;  // adding it leaves the integer in the low mantissa bits
constexpr double kRealLn2 = 0x1.62e42fefa39efp-1;
constexpr double kRealInfinity = __builtin_huge_val();
constexpr double kRealPi = 0x1.921fb54442d18p+1;

inline uint64_t RealBits(double value) {
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits;
}
inline double RealOf(uint64_t bits) {
    double value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
}
inline double RealNan() { return RealOf(0x7FF8000000000000U); }
inline double RealAbs(double x) { return RealOf(RealBits(x) & ~(uint64_t{1} << 63)); }
/// Returns |magnitude| with the sign of `sign`.
inline double WithSign(double magnitude, double sign) {
    constexpr uint64_t kSign = uint64_t{1} << 63;
    return RealOf((RealBits(magnitude) & ~kSign) | (RealBits(sign) & kSign));
}
/// Returns x, with |x| < 2^51, rounded to the nearest integer; ties go to even.
inline double RealRound(double x) { return (x + kRealShifter) - kRealShifter; }
/// Returns 2^n for an integer n with |n| <= 1022.
inline double PowerOfTwo(double n) { return RealOf((RealBits(n + kRealShifter) + 1023U) << 52); }

/// Returns a polynomial by Horner's rule; the coefficients begin with the highest power.
/// HornerAlternating subtracts each product from the next coefficient instead of adding it.
template <typename... Coefficients>
inline double Horner(double x, double sum, Coefficients... rest) {
    ((sum = sum * x + rest), ...);
    return sum;
}
template <typename... Coefficients>
inline double HornerAlternating(double x, double sum, Coefficients... rest) {
    ((sum = rest - sum * x), ...);
    return sum;
}

/// Returns e^r - 1 for |r| <= ln2 / 2 by a Taylor series; the first neglected term is below 7e-15.
inline double ExpM1Small(double r) {
    const double q = Horner(r, 1.0 / 39916800.0, 1.0 / 3628800.0, 1.0 / 362880.0, 1.0 / 40320.0,
                            1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5);
    return r + r * r * q;
}

/// Splits x = n * ln2 + r and returns n. Limits x to +-700, where the result exceeds the range of
/// float anyway. If x is NaN, r is NaN.
inline double ExpReduce(double x, double* r) {
    x = x > 700.0 ? 700.0 : x;
    x = x < -700.0 ? -700.0 : x;
    const double n = RealRound(x * 0x1.71547652b82fep0);
    *r = (x - n * 0x1.62e42fee00000p-1) - n * 0x1.a39ef35793c76p-33;
    return n;
}
inline double ExpReal(double x) {
    double r;
    const double scale = PowerOfTwo(ExpReduce(x, &r));
    return (1.0 + ExpM1Small(r)) * scale;
}
inline double ExpM1Real(double x) {
    double r;
    const double scale = PowerOfTwo(ExpReduce(x, &r));
    return ExpM1Small(r) * scale + (scale - 1.0);
}

/// Returns log(1 + u). `w` is the rounded value of 1 + u; for small u, the result is computed from
/// the exact u. w = 0 gives -infinity, smaller values of w give NaN.
inline double LogOf(double w, double u) {
    constexpr uint64_t kSqrtHalf = 0x3FE6A09E667F3BCDU;  // bits of sqrt(1/2)
    const uint64_t bits = RealBits(w);
    const uint64_t shifted = ((bits - kSqrtHalf) >> 52) + 1024U;
    const double e = RealOf((shifted & 0xFFFU) | 0x4330000000000000U) - (0x1p52 + 1024.0);
    const double m = RealOf(bits - ((shifted - 1024U) << 52));
    const double s = (e == 0.0 ? u : m - 1.0) / (m + 1.0);
    const double z = s * s;
    const double q = Horner(z, 1.0 / 19.0, 1.0 / 17.0, 1.0 / 15.0, 1.0 / 13.0, 1.0 / 11.0,
                            1.0 / 9.0, 1.0 / 7.0, 1.0 / 5.0, 1.0 / 3.0);
    double result = e * kRealLn2 + (2.0 * s + 2.0 * s * (z * q));
    result = w == kRealInfinity ? w : result;
    result = w == 0.0 ? -kRealInfinity : result;
    result = w < 0.0 ? RealNan() : result;
    return w != w ? w : result;
}
inline double LogReal(double x) { return LogOf(x, x - 1.0); }
inline double Log1pReal(double u) { return LogOf(1.0 + u, u); }

/// Returns x^y as IEEE 754 defines it, including the cases of zeros, infinities, ones and NaN.
inline double PowerReal(double x, double y) {
    const double half = y * 0.5;
    const double size = RealAbs(y);
    // y was a float, so it is even from 2^51 on. Below that, RealRound is exact for y and y / 2.
    const bool whole = size >= 0x1p51 || RealRound(y) == y;
    const bool odd = size < 0x1p51 && whole && RealRound(half) != half;
    double power = ExpReal(y * LogReal(RealAbs(x)));
    power = odd ? WithSign(power, x) : power;
    power = x < 0.0 && !whole && x != -kRealInfinity ? RealNan() : power;
    const bool one = y == 0.0 || x == 1.0 || (x == -1.0 && size == kRealInfinity);
    return one ? 1.0 : power;
}

}  // namespace
