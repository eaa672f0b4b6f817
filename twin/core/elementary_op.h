// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace twin {

/// Functions of the advanced API, element by element. "Precise" means that half is computed in
/// float.
enum class ElementaryOp : uint8_t {
    Log,
    Log2,
    Log10,
    ExpTaylor,  ///< scalar: number of terms of the series
    Tanh,
    Sigmoid,
    Silu,
    Swish,  ///< scalar: -beta
    Gelu,   ///< for this and the next five, scalar: multiply by the reciprocal instead of dividing
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
