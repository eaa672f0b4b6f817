// SPDX-License-Identifier: Apache-2.0
#pragma once

// Trigonometric and hyperbolic functions in double; see real.h.

#include "device/lanes/real.h"

namespace {

/// The pages limit arguments to this value; beyond it the library's results are invalid, and here
/// they are NaN.
constexpr double kTrigLimit = 65504.0;

/// sine and cosine of r, |r| <= pi/4: Taylor series, neglected terms below 1e-15.
inline double SinSmall(double r) {
    const double z = r * r;
    const double q = Horner(z, -1.0 / 1307674368000.0, 1.0 / 6227020800.0, -1.0 / 39916800.0,
                            1.0 / 362880.0, -1.0 / 5040.0, 1.0 / 120.0, -1.0 / 6.0);
    return r + r * (z * q);
}
inline double CosSmall(double r) {
    const double z = r * r;
    const double q = Horner(z, -1.0 / 87178291200.0, 1.0 / 479001600.0, -1.0 / 3628800.0,
                            1.0 / 40320.0, -1.0 / 720.0, 1.0 / 24.0, -0.5);
    return 1.0 + z * q;
}

/// x = n * pi/2 + r; n is in the low bits of the result. pi/2 is split into three parts, the first
/// two of 33 bits, so that their products with n are exact.
inline uint64_t TrigReduce(double x, double* r) {
    const double shifted = x * 0x1.45f306dc9c883p-1 + kRealShifter;
    const double n = shifted - kRealShifter;
    *r = ((x - n * 0x1.921fb54400000p+0) - n * 0x1.0b4611a600000p-34) - n * 0x1.3198a2e037073p-69;
    return RealBits(shifted);
}
inline double TrigChecked(double x, double result) {
    return RealAbs(x) <= kTrigLimit ? result : RealNan();
}
inline double SinFrom(double x, uint64_t quarter) {
    double r;
    const uint64_t n = TrigReduce(x, &r) + quarter;
    const double value = (n & 1U) != 0 ? CosSmall(r) : SinSmall(r);
    return TrigChecked(x, (n & 2U) != 0 ? -value : value);
}
inline double SinReal(double x) { return SinFrom(x, 0); }
inline double CosReal(double x) { return SinFrom(x, 1); }
inline double TanReal(double x) {
    double r;
    const bool turned = (TrigReduce(x, &r) & 1U) != 0;
    const double sine = SinSmall(r);
    const double cosine = CosSmall(r);
    return TrigChecked(x, (turned ? -cosine : sine) / (turned ? sine : cosine));
}

/// The argument is reduced twice: to 1/x above 1, then with tan(pi/8) around 1; the remainder of
/// the series is below 1e-13.
inline double AtanReal(double x) {
    const double size = RealAbs(x);
    const bool large = size > 1.0;
    const double t = large ? 1.0 / size : size;
    const bool upper = t > 0x1.a827999fcef32p-2;
    const double u = upper ? (t - 1.0) / (t + 1.0) : t;
    const double z = u * u;
    const double q = HornerAlternating(z, 1.0 / 29.0, 1.0 / 27.0, 1.0 / 25.0, 1.0 / 23.0,
                                       1.0 / 21.0, 1.0 / 19.0, 1.0 / 17.0, 1.0 / 15.0, 1.0 / 13.0,
                                       1.0 / 11.0, 1.0 / 9.0, 1.0 / 7.0, 1.0 / 5.0, 1.0 / 3.0);
    double angle = u - u * (z * q);
    angle = upper ? angle + kRealPi / 4 : angle;
    angle = large ? kRealPi / 2 - angle : angle;
    return x != x ? x : WithSign(angle, x);
}
/// Outside [-1, 1] the root is NaN.
inline double AsinReal(double x) { return AtanReal(x / __builtin_sqrt((1.0 - x) * (1.0 + x))); }
inline double AcosReal(double x) { return 2.0 * AtanReal(__builtin_sqrt((1.0 - x) / (1.0 + x))); }

inline double TanhReal(double x) {
    double twice = 2.0 * RealAbs(x);
    twice = twice > 40.0 ? 40.0 : twice;
    const double e = ExpM1Real(twice);
    return WithSign(e / (e + 2.0), x);
}
inline double SinhReal(double x) {
    const double e = ExpM1Real(RealAbs(x));
    return WithSign(0.5 * (e + e / (e + 1.0)), x);
}
inline double CoshReal(double x) {
    const double e = ExpReal(RealAbs(x));
    return 0.5 * (e + 1.0 / e);
}
inline double AsinhReal(double x) {
    const double size = RealAbs(x);
    const double square = size * size;
    const double u = size + square / (1.0 + __builtin_sqrt(1.0 + square));
    return WithSign(Log1pReal(size == kRealInfinity ? size : u), x);
}
inline double AcoshReal(double x) {
    const double t = x - 1.0;
    return x < 1.0 ? RealNan() : Log1pReal(t + __builtin_sqrt(t * (t + 2.0)));
}
inline double AtanhReal(double x) { return 0.5 * Log1pReal(2.0 * x / (1.0 - x)); }

}  // namespace
