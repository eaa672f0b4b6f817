// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_LANES_ELEMENTARY_H
#define TWIN_DEVICE_LANES_ELEMENTARY_H

#include "device/lanes/arithmetic.h"

namespace twin::lanes {

/// Functions of the advanced API, element by element. "Precise": half computed in float.
enum class ElementaryOp : uint8_t {
    Log,
    Log2,
    Log10,
    ExpTaylor,  ///< scalar: terms of the series
    Tanh,
    Sigmoid,
    Silu,
    Swish,  ///< scalar: -beta
    Gelu,   ///< this and the next five, scalar: multiply by the reciprocal instead of dividing
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

/// `src1` is null for functions of one argument, `scalar` for those without one. dst may be either
/// source.
using ElementaryFn = void (*)(void* dst, const void* src0, const void* src1, const float* scalar,
                              size_t count);

/// By operation and type. A null entry means that the library has no such function for that type.
struct ElementaryTable {
    ElementaryFn run[kElementaryOps][kDtypeCount];
    ElementaryFn axpyMixed;  ///< float destination, half source
    BinaryFn powerInt32;     ///< wraps; a negative exponent gives the whole part
};

/// The best version for this machine.
const ElementaryTable& BestElementary();

}  // namespace twin::lanes

#endif  // TWIN_DEVICE_LANES_ELEMENTARY_H
