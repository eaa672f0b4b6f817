// SPDX-License-Identifier: Apache-2.0
#pragma once

// Trigonometric and hyperbolic functions, the error function and the logarithm of gamma, in double;
// see real.h.
#include "device/lanes/real.h"

namespace {

/// Largest argument that the documentation allows for Sin, Cos and Tan. Above it, results are NaN.
constexpr double kTrigLimit = 65504.0;

/// Returns the sine of r for |r| <= pi/4 by a Taylor series. CosSmall returns the cosine. Neglected
/// terms are below 1.1e-15.
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

/// Splits x = n * pi/2 + r and returns n in the low bits of the result. pi/2 is split into three
/// parts, the first two of 33 bits, so that their products with n are exact.
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

/// Returns the arc tangent. Replaces x > 1 by t = 1 / x, and t > tan(pi/8) by (t-1) / (t+1).
/// The remainder of the series is below 1e-13.
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
/// Returns the arc sine; outside [-1, 1] the square root is NaN.
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

/// Returns erf(x) for |x| <= 1 by a Taylor series; neglected terms are below 2e-15.
inline double ErfSmall(double x) {
    const double z = x * x;
    const double q = HornerAlternating(
        z, 1.0 / (31.0 * 1307674368000.0), 1.0 / (29.0 * 87178291200.0),
        1.0 / (27.0 * 6227020800.0), 1.0 / (25.0 * 479001600.0), 1.0 / (23.0 * 39916800.0),
        1.0 / (21.0 * 3628800.0), 1.0 / (19.0 * 362880.0), 1.0 / (17.0 * 40320.0),
        1.0 / (15.0 * 5040.0), 1.0 / (13.0 * 720.0), 1.0 / (11.0 * 120.0), 1.0 / (9.0 * 24.0),
        1.0 / (7.0 * 6.0), 1.0 / (5.0 * 2.0), 1.0 / 3.0, 1.0);
    return 0x1.20dd750429b6dp+0 * x * q;
}

/// Returns erfc(x) for x from 1 to 11: e^(-x^2) / (1 + 2x) times a polynomial in (x - 3) / (x + 3)
/// (interpolated at Chebyshev nodes, relative error 2e-14). Beyond 11 the result is 0 as a float.
inline double ErfcLarge(double x) {
    const double t = (x - 3.0) / (x + 3.0);
    const double q = Horner(t, 0x1.20e871be9dd0cp-20, -0x1.1f6ef82e7422cp-16, 0x1.d340ae88c6ea8p-19,
                            0x1.040fbb3b4ffecp-13, -0x1.b6fa179894045p-14, -0x1.98bf06c38ddaep-11,
                            0x1.ef161f97ef3e6p-10, 0x1.4b878ee6e7359p-9, -0x1.8574bbf05a43dp-6,
                            0x1.17ca28ccedaf0p-4, -0x1.e88b80501342cp-4, 0x1.098366a4a3778p-3,
                            -0x1.85a15c57fb73dp-5, -0x1.15c084bb9c869p-3, 0x1.40c522d7e494fp+0);
    return ExpReal(-x * x) * q / (1.0 + 2.0 * x);
}
inline double ErfcReal(double x) {
    double size = RealAbs(x);
    size = size > 11.0 ? 11.0 : size;
    const double tail = ErfcLarge(size);
    const double large = x < 0.0 ? 2.0 - tail : tail;
    return size > 1.0 ? large : 1.0 - ErfSmall(x);
}
inline double ErfReal(double x) {
    double size = RealAbs(x);
    size = size > 11.0 ? 11.0 : size;
    return size > 1.0 ? WithSign(1.0 - ErfcLarge(size), x) : ErfSmall(x);
}

constexpr double kGammaShift = 8.0;

/// Returns log(gamma(x)) for x > 0 by Stirling's series, computed at x + 8 if x is below 8.
inline double LogGammaPositive(double x) {
    const bool small = x < kGammaShift;
    const double z = small ? x + kGammaShift : x;
    double product = x * (x + 7.0);
    product = product * ((x + 1.0) * (x + 6.0));
    product = product * ((x + 2.0) * (x + 5.0));
    product = product * ((x + 3.0) * (x + 4.0));
    const double w = 1.0 / (z * z);
    const double q = Horner(w, -691.0 / 360360.0, 1.0 / 1188.0, -1.0 / 1680.0, 1.0 / 1260.0,
                            -1.0 / 360.0, 1.0 / 12.0);
    const double stirling = (z - 0.5) * LogReal(z) - z + 0x1.d67f1c864beb5p-1 + q / z;
    const double result = small ? stirling - LogReal(small ? product : 1.0) : stirling;
    const bool zero = x == 1.0 || x == 2.0;  // the only zeros for x > 0
    return zero ? 0.0 : (z == kRealInfinity ? z : result);
}
/// Returns x minus the nearest integer; returns 0 from |x| = 2^51 on.
inline double FromInteger(double x) { return RealAbs(x) < 0x1p51 ? x - RealRound(x) : 0.0; }

/// Returns log(|gamma(x)|); it is infinity at 0, at negative integers and at infinities.
inline double LgammaReal(double x) {
    const bool negative = x < 0.0;
    const double positive = LogGammaPositive(negative ? 1.0 - x : x);
    const double sine = RealAbs(SinReal(kRealPi * FromInteger(x)));
    const double reflected = 0x1.250d048e7a1bdp+0 - LogReal(sine) - positive;
    double result = negative ? reflected : positive;
    result = negative && sine == 0.0 ? kRealInfinity : result;
    return x != x ? x : result;
}

/// Returns the derivative of log(gamma(x)) for x > 0.
inline double DigammaPositive(double x) {
    const bool small = x < kGammaShift;
    const double z = small ? x + kGammaShift : x;
    double sum = 0.0;
    for (int i = 7; i >= 0; --i) {
        sum += 1.0 / (x + i);
    }
    const double w = 1.0 / (z * z);
    const double q = Horner(w, 691.0 / 32760.0, -1.0 / 132.0, 1.0 / 240.0, -1.0 / 252.0,
                            1.0 / 120.0, -1.0 / 12.0);
    const double asymptotic = LogReal(z) - 0.5 / z + q * w;
    return small ? asymptotic - sum : asymptotic;
}
/// Returns the derivative of log(|gamma(x)|): NaN at negative integers, -infinity at 0.
inline double DigammaReal(double x) {
    const bool negative = x < 0.0;
    const double positive = DigammaPositive(negative ? 1.0 - x : x);
    const double fraction = FromInteger(x);
    double result = negative ? positive - kRealPi / TanReal(kRealPi * fraction) : positive;
    result = negative && fraction == 0.0 ? RealNan() : result;
    result = x == 0.0 ? -kRealInfinity : result;
    return x != x ? x : result;
}

}  // namespace
