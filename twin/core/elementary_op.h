// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace twin {

/// Elementwise functions of the advanced API. Functions with "Precise" in the name compute half in
/// float. The comments say what the scalar parameter of a function is.
enum class ElementaryOp : uint8_t {
    Log,
    Log2,
    Log10,
    ExpTaylor,  ///< scalar: number of terms of the series
    Tanh,
    Sigmoid,
    Silu,
    Swish,  ///< scalar: -beta
    // Scalar of the next six functions: if not 0, a reciprocal replaces the division.
    Gelu,
    GeluPrecise,
    FasterGelu,
    FasterGeluPrecise,
    FasterGeluV2,
    FasterGeluV2Precise,
    SwiGlu,  ///< scalar: -beta
    GeGlu,
    ReGlu,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Asinh,
    Acosh,
    Atanh,
    Erf,
    Erfc,
    Lgamma,
    Digamma,
    Sign,
    Round,
    Floor,
    Ceil,
    Trunc,
    Frac,
    Fmod,
    ClampMax,  ///< scalar: the bound
    ClampMin,
    Axpy,  ///< scalar: the factor of src1; src0 is the old destination
    Power
};

constexpr uint32_t kElementaryOps = 43;

}  // namespace twin
