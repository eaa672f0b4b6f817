// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_LANES_ARITHMETIC_H
#define TWIN_DEVICE_LANES_ARITHMETIC_H

#include <cstddef>
#include <cstdint>

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

/// The best version for this machine.
const ArithmeticTable& BestArithmetic();

}  // namespace twin::lanes

#endif  // TWIN_DEVICE_LANES_ARITHMETIC_H
