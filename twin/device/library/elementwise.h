// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/types.h"
#include "device/lanes/arithmetic.h"
#include "device/library/tmp.h"
#include "device/vec/shapes.h"

// Functions on rows of floats. Library calls convert their operands to such rows, compute, and
// convert the results back. Every host gives the same bits.
namespace twin::advanced {

// Indices of half and float in the tables of device/lanes.
constexpr auto kF16 = static_cast<size_t>(Dtype::F16);
constexpr auto kF32 = static_cast<size_t>(Dtype::F32);

/// Converts `elements` numbers of half or float to floats.
void Load(float* row, const uint8_t* src, Dtype dtype, size_t elements);
/// Stores floats as `dtype`: rounded to half, or unchanged as float.
void Store(uint8_t* dst, Dtype dtype, const float* row, size_t elements,
           lanes::Round round = lanes::Round::Rint);
float LoadOne(const uint8_t* src, Dtype dtype, size_t index);
void StoreOne(uint8_t* dst, Dtype dtype, size_t index, float value,
              lanes::Round round = lanes::Round::Rint);

void Exp(float* dst, const float* src, size_t elements);
void Ln(float* dst, const float* src, size_t elements);
void Add(float* dst, const float* a, const float* b, size_t elements);
void Sub(float* dst, const float* a, const float* b, size_t elements);
void Mul(float* dst, const float* a, const float* b, size_t elements);
void Adds(float* dst, const float* src, float scalar, size_t elements);
void Muls(float* dst, const float* src, float scalar, size_t elements);
/// Sets dst[i] = src[i] / scalar.
void Divs(float* dst, const float* src, float scalar, size_t elements);
float ExpOf(float x);
float LnOf(float x);
/// Returns x^-0.5, computed through the logarithm like in some functions of the library.
float RsqrtByLn(float x);
/// Returns 1 / sqrt(x).
float Rsqrt(float x);
float SumOf(const float* row, size_t elements);
float MaxOf(const float* row, size_t elements);
/// Returns the larger of `a` and `b`, or NaN if one is NaN.
float Larger(float a, float b);

/// `Row` returns buffer number `slot` of kSlots, with room for `elements` floats. The next call
/// with the same slot makes the pointer invalid. No library call may run while a buffer is used.
constexpr uint32_t kSlots = 5;
float* Row(uint32_t slot, size_t elements);

using lanes::ElementaryOp;

/// Bits of CallShape::form for elementwise calls: variants with other instructions or scratch.
struct ElementwiseForm {
    static constexpr uint32_t kReuse = 1, kPrecise = 2, kFast = 4;
};

/// An elementwise call: API, operation, element type, and arguments.
struct Function {
    Opcode api;
    ElementaryOp op;
    Dtype dtype;
    bool reuseSource = false;
    float scalar = 0.0F;
};

TWIN_API void RunUnary(const Function& function, const Operand& dst, const Operand& src,
                       const Tmp& tmp, uint32_t count, Location where);
TWIN_API void RunBinary(const Function& function, const Operand& dst, const Operand& src0,
                        const Operand& src1, const Tmp& tmp, uint32_t count, Location where);

}  // namespace twin::advanced

// Declares the overloads of a unary function: with and without scratch, with and without a count.
#define TWIN_ADVANCED_UNARY(API)                                                   \
    TWIN_COUNT_FORMS(TWIN_ADVANCED_UNARY_FORM, srcTensor, API, const, half, float) \
    TWIN_ADVANCED_UNARY_ADDRESS(API, const)

/// QUALIFIER is `const` if destination and scratch are const references in the toolkit.
#define TWIN_ADVANCED_UNARY_FORM(TMP, tmp, COUNT, count, API, QUALIFIER, ...)                 \
    template <typename T, bool isReuseSource = false>                                         \
    inline void API(QUALIFIER LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,     \
                    TMP(QUALIFIER) COUNT() TWIN_HERE) {                                       \
        TWIN_REFUSE_DTYPE(API, T, __VA_ARGS__);                                               \
        ::twin::advanced::RunUnary({::twin::Opcode::API, ::twin::advanced::ElementaryOp::API, \
                                    ::twin::kDtypeOf<T>, isReuseSource},                      \
                                   dstTensor, srcTensor, tmp, count, here);                   \
    }
/// Declares an overload with the toolkit's exact signature, for code that takes the function's
/// address. Calls never choose it, because the other overloads are more specialised.
#define TWIN_ADVANCED_UNARY_ADDRESS(API, QUALIFIER)                                      \
    template <typename T, bool isReuseSource = false, typename Tensor>                   \
    inline void API(QUALIFIER Tensor& dstTensor, const Tensor& srcTensor,                \
                    const uint32_t calCount) {                                           \
        API<T, isReuseSource>(dstTensor, srcTensor, calCount, ::twin::Location::Here()); \
    }

#define TWIN_ADVANCED_BINARY(API, OP, ...) \
    TWIN_COUNT_FORMS(TWIN_ADVANCED_BINARY_FORM, srcTensor0, API, OP, __VA_ARGS__)
#define TWIN_ADVANCED_BINARY_FORM(TMP, tmp, COUNT, count, API, OP, ...)                     \
    template <typename T, bool isReuseSource = false>                                       \
    inline void API(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor0,      \
                    const LocalTensor<T>& srcTensor1, TMP(const) COUNT() TWIN_HERE) {       \
        TWIN_REFUSE_DTYPE(API, T, __VA_ARGS__);                                             \
        ::twin::advanced::RunBinary(                                                        \
            {::twin::Opcode::API, ::twin::advanced::ElementaryOp::OP, ::twin::kDtypeOf<T>}, \
            dstTensor, srcTensor0, srcTensor1, tmp, count, here);                           \
    }
