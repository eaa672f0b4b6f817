// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/elementary_op.h"
#include "core/types.h"

namespace twin::lanes {

enum class BinaryOp : uint8_t { Add, Sub, Mul, Div, Max, Min, And, Or };
enum class UnaryOp : uint8_t { Exp, Ln, Abs, Sqrt, Rsqrt, Reciprocal, Relu, Not };
enum class ScalarOp : uint8_t { Adds, Muls, Maxs, Mins, LeakyRelu };

constexpr uint32_t kBinaryOps = 8;
constexpr uint32_t kUnaryOps = 8;
constexpr uint32_t kScalarOps = 5;

using BinaryFn = void (*)(void* dst, const void* src0, const void* src1, size_t count);
using UnaryFn = void (*)(void* dst, const void* src, size_t count);
/// `scalar` points to one element of the instruction's type.
using ScalarFn = void (*)(void* dst, const void* src, const void* scalar, size_t count);
using FillFn = void (*)(void* dst, const void* scalar, size_t count);

/// Arithmetic on contiguous elements: the inner loops of the vector unit, compiled once per
/// instruction set of the host. A null entry means that the vector unit has no such instruction for
/// that type. Every version gives the same bits.
struct ArithmeticTable {
    const char* isa;
    BinaryFn binary[kBinaryOps][kDtypeCount];
    UnaryFn unary[kUnaryOps][kDtypeCount];
    ScalarFn scalar[kScalarOps][kDtypeCount];
    FillFn fill[kDtypeCount];
};

/// Returns the version for the instruction set of this machine.
const ArithmeticTable& BestArithmetic();

/// The numbers are those of AscendC::RoundMode.
enum class Round : uint8_t { None, Rint, Floor, Ceil, Nearest, Trunc, Odd };

using CastFn = void (*)(void* dst, const void* src, size_t count, Round round);
using ClampFn = void (*)(void* values, size_t count);
using DequantFn = void (*)(void* dst, const void* src, float scale, size_t count);

/// Conversions on contiguous elements. The caller checks which rounding modes a pair accepts;
/// int4b_t counts are even. A null entry means that the vector unit has no such instruction.
struct CastTable {
    CastFn cast[kDtypeCount][kDtypeCount];  ///< conversions by [to][from]; integers saturate
    /// [to][from]: integers keep their low bits instead; null if that makes no difference.
    CastFn truncating[kDtypeCount][kDtypeCount];
    /// Functions by the type of a vector result: infinities become the largest number, NaN becomes
    /// zero.
    ClampFn clamp[kDtypeCount];
    /// The function for float, which the cube unit saturates and the vector unit does not.
    ClampFn clampFloat;
    DequantFn int32ToHalf;
};

/// Returns the version for the instruction set of this machine.
const CastTable& BestCasts();

using twin::ElementaryOp;
using twin::kElementaryOps;

/// `src1` is null for functions of one argument, `scalar` for those without one. dst may be either
/// source.
using ElementaryFn = void (*)(void* dst, const void* src0, const void* src1, const float* scalar,
                              size_t count);

/// Indexed by operation and type. A null entry means that the library has no such function for that
/// type.
struct ElementaryTable {
    ElementaryFn run[kElementaryOps][kDtypeCount];
    ElementaryFn axpyMixed;  ///< Axpy with a float destination and a half source
    BinaryFn
        powerInt32;  ///< power of int32_t: it wraps; a negative exponent gives the integer part
};

/// Returns the version for the instruction set of this machine.
const ElementaryTable& BestElementary();

/// Two steps in one instruction, with operands of one type. The last three also read their
/// destination.
enum class FusedOp : uint8_t { AddRelu, SubRelu, MulAddDst, FusedMulAdd, FusedMulAddRelu };
/// Instructions with two sources of one type and a destination of another.
enum class MixedOp : uint8_t { MulCast, AddReluCast, SubReluCast, MulAddDst };
enum class ShiftOp : uint8_t { Left, Right, RightRounded };

constexpr uint32_t kFusedOps = 5;
constexpr uint32_t kMixedOps = 4;
constexpr uint32_t kShiftOps = 3;

using ShiftFn = void (*)(void* dst, const void* src, uint32_t distance, size_t count);
using DequantSumFn = void (*)(void* dst, const void* src0, const void* src1, float scale,
                              size_t count);

/// Compound arithmetic on contiguous elements. Every step rounds to the type in which it computes,
/// as the single instructions would. A null entry means that the vector unit has no such
/// instruction.
struct FusedTable {
    BinaryFn same[kFusedOps][kDtypeCount];
    BinaryFn mixed[kMixedOps][kDtypeCount][kDtypeCount];  ///< functions by [op][to][from]
    ScalarFn axpy[kDtypeCount]
                 [kDtypeCount];  ///< functions by [to][from]; the scalar has the type of the source
    ShiftFn shift[kShiftOps][kDtypeCount];
    DequantSumFn addDeqRelu;  ///< AddDeqRelu: half from int32_t
};

/// Returns the version for the instruction set of this machine.
const FusedTable& BestFused();

/// For each element, the factor and the offset that Fixpipe applies on the way out of L0C.
struct QuantColumns {
    const float* scale;     ///< factor for numbers from zero
    const float* negative;  ///< factor for numbers below zero: the same, or 0 for relu
    const float* offset;    ///< integers from -256 to 255
    const float* low;       ///< bounds of the result
    const float* high;
    const int32_t* shift;  ///< bits to shift right before an int32_t is cut to 16 bits; 0: no cut
};

using QuantFn = void (*)(void* dst, const void* src, const QuantColumns& columns, size_t count);

/// Conversions of the fixed-function pipe. Results of 8 bits: nearest even to 9 bits, plus offset,
/// saturated; NaN becomes 0 before the offset.
struct QuantTable {
    QuantFn int32ToByte;
    QuantFn floatToByte;
    QuantFn int32ToHalf;  ///< int32_t to half, rounded to nearest even; infinity beyond the range
};

/// Returns the version for the instruction set of this machine.
const QuantTable& BestQuant();

}  // namespace twin::lanes
