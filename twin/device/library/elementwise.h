// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/types.h"
#include "device/lanes/arithmetic.h"
#include "device/library/tmp.h"
#include "device/vec/shapes.h"

// Steps on rows of floats, which the library's functions take between the buffers of their element
// type. Every host gives the same bits.
namespace twin::advanced {

// Columns of the tables of lanes.
constexpr auto kF16 = static_cast<size_t>(Dtype::F16);
constexpr auto kF32 = static_cast<size_t>(Dtype::F32);

/// Reads `elements` of half or float as floats.
void Load(float* row, const uint8_t* src, Dtype dtype, size_t elements);
/// Stores floats as half, rounded, or unchanged.
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
/// dst[i] = src[i] / scalar
void Divs(float* dst, const float* src, float scalar, size_t elements);
float ExpOf(float x);
float LnOf(float x);
/// Computes x to the power of -0.5 with the logarithm, which some functions use.
float RsqrtByLn(float x);
/// 1 / sqrt(x)
float Rsqrt(float x);
float SumOf(const float* row, size_t elements);
float MaxOf(const float* row, size_t elements);
/// Returns the larger of two, or NaN if one is NaN.
float Larger(float a, float b);

/// Memory for rows, kept between calls. `slot` is one of kSlots buffers; the next call for a slot
/// makes its earlier pointer invalid. No call of the core may come in between.
constexpr uint32_t kSlots = 5;
float* Row(uint32_t slot, size_t elements);

using lanes::ElementaryOp;

/// Bits of CallShape::form of these calls.
struct ElementwiseForm {
    static constexpr uint32_t kReuse = 1, kPrecise = 2, kFast = 4;
};

/// The function and its type.
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

// The overloads of most functions of one argument: with and without scratch, with and without a
// count.
#define TWIN_ADVANCED_UNARY(API)                                                   \
    TWIN_COUNT_FORMS(TWIN_ADVANCED_UNARY_FORM, srcTensor, API, const, half, float) \
    TWIN_ADVANCED_UNARY_ADDRESS(API, const)

/// QUALIFIER says whether the library takes destination and scratch by const reference.
#define TWIN_ADVANCED_UNARY_FORM(TMP, tmp, COUNT, count, API, QUALIFIER, ...)                 \
    template <typename T, bool isReuseSource = false>                                         \
    inline void API(QUALIFIER LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,     \
                    TMP(QUALIFIER) COUNT() TWIN_HERE) {                                       \
        TWIN_REFUSE_DTYPE(API, T, __VA_ARGS__);                                               \
        ::twin::advanced::RunUnary({::twin::Opcode::API, ::twin::advanced::ElementaryOp::API, \
                                    ::twin::kDtypeOf<T>, isReuseSource},                      \
                                   dstTensor, srcTensor, tmp, count, here);                   \
    }
/// For code that takes the address of the function: it has the toolkit's own type. A call never
/// chooses it, because the others are more specialised.
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
