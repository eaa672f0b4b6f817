// SPDX-License-Identifier: Apache-2.0
#pragma once

// Kernels pass APIs as template arguments of type `void(const LocalTensor<T>&, ..., const
// int32_t&)`. The usual overloads have another type, because their last parameter is the source
// location. The overloads below have the toolkit's types. Normal calls do not select them: the
// compiler can find `Result` only when a kernel takes the address of such a function.
#include "device/types/parameters.h"
#include "device/vec/bitwise.h"
#include "device/vec/fused.h"

// Kernels use these overloads as functions that return void, so `Result` is always void. These
// overloads get no source location: errors name the location of the last call that had a location.
#define TWIN_AS_FUNCTION(API, OPERANDS, NAMES, PARAMS)                   \
    template <typename T, typename Result>                               \
    inline Result API(OPERANDS(), const int32_t& calCount) {             \
        API<T>(NAMES(), calCount, ::twin::Self().where);                 \
    }                                                                    \
    TWIN_AS_FUNCTION_MASKED(API, OPERANDS, NAMES, uint64_t mask, PARAMS) \
    TWIN_AS_FUNCTION_MASKED(API, OPERANDS, NAMES, uint64_t mask[], PARAMS)

#define TWIN_AS_FUNCTION_MASKED(API, OPERANDS, NAMES, MASK, PARAMS)                        \
    template <typename T, bool isSetMask = true, typename Result>                          \
    inline Result API(OPERANDS(), MASK, const uint8_t repeatTime, const PARAMS& strides) { \
        API<T, isSetMask>(NAMES(), mask, repeatTime, strides, ::twin::Self().where);       \
    }

#define TWIN_BINARY_OPERANDS() \
    const LocalTensor<T>&dst, const LocalTensor<T>&src0, const LocalTensor<T>&src1
#define TWIN_BINARY_NAMES() dst, src0, src1
#define TWIN_UNARY_OPERANDS() const LocalTensor<T>&dst, const LocalTensor<T>&src
#define TWIN_UNARY_NAMES() dst, src
#define TWIN_SCALAR_OPERANDS() const LocalTensor<T>&dst, const LocalTensor<T>&src, const T &scalar
#define TWIN_SCALAR_NAMES() dst, src, scalar

namespace AscendC {

#define TWIN_BINARY(API, ...) \
    TWIN_AS_FUNCTION(API, TWIN_BINARY_OPERANDS, TWIN_BINARY_NAMES, BinaryRepeatParams)
TWIN_BINARY(AddRelu)
TWIN_BINARY(SubRelu)
#define TWIN_BITWISE(API, ...) TWIN_BINARY(API)
#define TWIN_UNARY(API, ...) \
    TWIN_AS_FUNCTION(API, TWIN_UNARY_OPERANDS, TWIN_UNARY_NAMES, UnaryRepeatParams)
#define TWIN_SCALAR(API, ...) \
    TWIN_AS_FUNCTION(API, TWIN_SCALAR_OPERANDS, TWIN_SCALAR_NAMES, UnaryRepeatParams)
#include "core/opcodes.def"

}  // namespace AscendC

#undef TWIN_AS_FUNCTION
#undef TWIN_AS_FUNCTION_MASKED
#undef TWIN_BINARY_NAMES
#undef TWIN_BINARY_OPERANDS
#undef TWIN_SCALAR_NAMES
#undef TWIN_SCALAR_OPERANDS
#undef TWIN_UNARY_NAMES
#undef TWIN_UNARY_OPERANDS

namespace twin {

template <typename T, typename U>
constexpr bool kCanAxpy = (std::is_same<T, U>::value && kOneOf<T, half, float>) ||
                          (std::is_same<T, float>::value && std::is_same<U, half>::value);

}  // namespace twin

namespace AscendC {

// These macros define the instructions of core/opcodes.def with two sources, with one source, and
// with a scalar: Add, Abs, Adds ...
#define TWIN_TYPES(...) __VA_ARGS__
#define TWIN_BINARY(API, TYPES, ...) TWIN_VEC_BINARY(API, TWIN_TYPES TYPES)
#define TWIN_BITWISE(API, ...) TWIN_VEC_BITWISE(API)
#define TWIN_FUSED(API, TYPES, ...) TWIN_VEC_FUSED(API, TWIN_TYPES TYPES)
#define TWIN_UNARY(API, TYPES, ...) TWIN_VEC_UNARY(API, TWIN_TYPES TYPES)
#define TWIN_SCALAR(API, TYPES, ...) TWIN_VEC_SCALAR(API, TWIN_TYPES TYPES)
#include "core/opcodes.def"
#undef TWIN_TYPES

/// The newer name of FusedMulAddRelu.
template <typename T, bool isSetMask = true>
inline void MulAddRelu(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                       const LocalTensor<T>& src1, const ::twin::vec::Mask mask,
                       const ::twin::Narrow8 repeatTime, const BinaryRepeatParams& repeatParams,
                       TWIN_HERE) {
    FusedMulAddRelu<T, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams, here);
}
template <typename T>
inline void MulAddRelu(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                       const LocalTensor<T>& src1, const int32_t& count, TWIN_HERE) {
    FusedMulAddRelu(dst, src0, src1, count, here);
}

#define TWIN_AXPY_TYPES(T, U)           \
    static_assert(twin::kCanAxpy<T, U>, \
                  "Axpy: takes half, float, or a half source with a float destination")

/// Computes dst += src * scalar; product and sum are each rounded to dst's type. With a float
/// destination and a half source a repeat has 64 elements.
template <typename T, typename U, bool isSetMask = true>
inline void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue,
                 const ::twin::vec::Mask mask, const ::twin::Narrow8 repeatTime,
                 const UnaryRepeatParams& repeatParams, TWIN_HERE) {
    TWIN_AXPY_TYPES(T, U);
    twin::vec::RunAxpy(twin::kDtypeOf<T>, twin::kDtypeOf<U>, dst, src, &scalarValue,
                       twin::vec::Extent::Mask(mask, repeatTime, isSetMask), repeatParams, here);
}

template <typename T, typename U>
inline void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue,
                 const int32_t& calCount, TWIN_HERE) {
    TWIN_AXPY_TYPES(T, U);
    twin::vec::RunAxpy(twin::kDtypeOf<T>, twin::kDtypeOf<U>, dst, src, &scalarValue,
                       twin::vec::Extent::Elements(calCount), UnaryRepeatParams(), here);
}

#undef TWIN_AXPY_TYPES

}  // namespace AscendC
