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

/// Functions for arithmetic on contiguous elements: the inner loops of the vector unit's
/// instructions, compiled once per instruction set of the host. A null entry means that the vector
/// unit has no such instruction for that type. All compiled versions give the same bits.
struct ArithmeticTable {
    const char* isa;
    BinaryFn binary[kBinaryOps][kDtypeCount];
    UnaryFn unary[kUnaryOps][kDtypeCount];
    ScalarFn scalar[kScalarOps][kDtypeCount];
    FillFn fill[kDtypeCount];
};

/// Returns the table that is compiled for the instruction set of this machine.
const ArithmeticTable& BestArithmetic();

/// Rounding modes, with the values of AscendC::RoundMode.
enum class Round : uint8_t { None, Rint, Floor, Ceil, Nearest, Trunc, Odd };

using CastFn = void (*)(void* dst, const void* src, size_t count, Round round);
using ClampFn = void (*)(void* values, size_t count);
using DequantFn = void (*)(void* dst, const void* src, float scale, size_t count);

/// Functions that convert contiguous elements. The caller checks which rounding modes a pair of
/// types accepts; counts of int4b_t are even. A null entry means that the vector unit has no such
/// instruction.
struct CastTable {
    CastFn cast[kDtypeCount][kDtypeCount];  ///< indexed by [to][from]; integer results saturate
    /// Indexed by [to][from]. Integer results keep their low bits instead of saturating. If an
    /// entry is null, Cast uses `cast`, even if CTRL selects truncation.
    CastFn truncating[kDtypeCount][kDtypeCount];
    /// Indexed by the type of the vector unit's result: replaces an infinity by the largest number,
    /// and NaN by zero.
    ClampFn clamp[kDtypeCount];
    /// Like `clamp`, but for float results, which only the cube unit saturates.
    ClampFn clampFloat;
    DequantFn int32ToHalf;
};

/// Returns the table that is compiled for the instruction set of this machine.
const CastTable& BestCasts();

using twin::ElementaryOp;
using twin::kElementaryOps;

/// `src1` is null for functions of one argument, and `scalar` is null for functions without a
/// scalar. `dst` may be equal to `src0` or `src1`.
using ElementaryFn = void (*)(void* dst, const void* src0, const void* src1, const float* scalar,
                              size_t count);

/// Elementary functions, indexed by operation and element type. A null entry means that the library
/// has no such function for that type.
struct ElementaryTable {
    ElementaryFn run[kElementaryOps][kDtypeCount];
    ElementaryFn axpyMixed;  ///< Axpy with a float destination and a half source
    /// Power for int32_t: overflow wraps; a negative exponent gives the integer part of the result.
    BinaryFn powerInt32;
};

/// Returns the table that is compiled for the instruction set of this machine.
const ElementaryTable& BestElementary();

/// Instructions that combine two or three operations; their operands have one type. The last three
/// instructions also read the old value of the destination.
enum class FusedOp : uint8_t { AddRelu, SubRelu, MulAddDst, FusedMulAdd, FusedMulAddRelu };
/// Instructions whose two sources have one type and whose destination has another type.
enum class MixedOp : uint8_t { MulCast, AddReluCast, SubReluCast, MulAddDst };
enum class ShiftOp : uint8_t { Left, Right, RightRounded };

constexpr uint32_t kFusedOps = 5;
constexpr uint32_t kMixedOps = 4;
constexpr uint32_t kShiftOps = 3;

using ShiftFn = void (*)(void* dst, const void* src, uint32_t distance, size_t count);
using DequantSumFn = void (*)(void* dst, const void* src0, const void* src1, float scale,
                              size_t count);

/// Functions for instructions that combine several operations, on contiguous elements. The result
/// of each operation is rounded, as separate instructions would do. A null entry means that the
/// vector unit has no such instruction.
struct FusedTable {
    BinaryFn same[kFusedOps][kDtypeCount];
    BinaryFn mixed[kMixedOps][kDtypeCount][kDtypeCount];  ///< indexed by [op][to][from]
    /// Indexed by [to][from]; the scalar has the type of the source.
    ScalarFn axpy[kDtypeCount][kDtypeCount];
    ShiftFn shift[kShiftOps][kDtypeCount];
    DequantSumFn addDeqRelu;  ///< AddDeqRelu, from int32_t to half
};

/// Returns the table that is compiled for the instruction set of this machine.
const FusedTable& BestFused();

/// Parameters that Fixpipe applies to the data from L0C: arrays with one value for each element.
struct QuantColumns {
    const float* scale;     ///< factor for numbers >= 0
    const float* negative;  ///< factor for numbers < 0: equal to `scale`, or 0 for relu
    const float* offset;    ///< added to the result; integers from -256 to 255
    const float* low;       ///< lower bound of the result
    const float* high;      ///< upper bound of the result
    const int32_t* shift;   ///< right shift before saturation to 16 bits; 0: no shift or saturation
};

using QuantFn = void (*)(void* dst, const void* src, const QuantColumns& columns, size_t count);

/// Conversions that Fixpipe does. For 8-bit results, Fixpipe rounds to the nearest integer (ties to
/// even, NaN to 0), saturates to 9 bits, adds the offset and saturates to 8 bits.
struct QuantTable {
    QuantFn int32ToByte;
    QuantFn floatToByte;
    QuantFn int32ToHalf;  ///< int32_t to half, rounded to nearest even; infinity if too large
};

const QuantTable& BestQuant();

}  // namespace twin::lanes
