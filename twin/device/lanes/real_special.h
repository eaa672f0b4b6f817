// SPDX-License-Identifier: Apache-2.0
#pragma once

// Error function and the logarithm of gamma in double; see real.h.

#include "device/lanes/real_trig.h"

namespace {

/// |x| <= 1: Taylor series, neglected terms below 1e-15.
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

/// erfc(x) for x from 1 to 11: e^(-x^2) / (1 + 2x) times a polynomial in (x - 3) / (x + 3)
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

/// log(gamma(x)) for x > 0: Stirling's series from 8 on; smaller arguments are shifted up by 8.
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
    const bool zero = x == 1.0 || x == 2.0;  // the other zeros are no floats
    return zero ? 0.0 : (z == kRealInfinity ? z : result);
}
/// Signed distance to the nearest integer; 0 from 2^51 on.
inline double FromInteger(double x) { return RealAbs(x) < 0x1p51 ? x - RealRound(x) : 0.0; }

/// log(|gamma(x)|): infinity at 0, at negative integers and at infinities.
inline double LgammaReal(double x) {
    const bool negative = x < 0.0;
    const double positive = LogGammaPositive(negative ? 1.0 - x : x);
    const double sine = RealAbs(SinReal(kRealPi * FromInteger(x)));
    const double reflected = 0x1.250d048e7a1bdp+0 - LogReal(sine) - positive;
    double result = negative ? reflected : positive;
    result = negative && sine == 0.0 ? kRealInfinity : result;
    return x != x ? x : result;
}

/// Derivative of log(gamma(x)), x > 0.
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
/// NaN at negative integers, as in the library, and -infinity at 0.
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
