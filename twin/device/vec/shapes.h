// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/types/parameters.h"
#include "device/vec/extent.h"

// Macros for most vector APIs: with two sources, with one source, with one source and a scalar.
// Each macro defines overloads with a mask and with a count. At compile time, an API refuses the
// types that are not listed.

#define TWIN_REFUSE_DTYPE(API, T, ...)                 \
    static_assert(::twin::kOneOf<T, __VA_ARGS__>, #API \
                  ": this type is not supported on A2/A3; it takes " TWIN_AS_TEXT(__VA_ARGS__))
#define TWIN_AS_TEXT(...) #__VA_ARGS__  // after expansion, if a macro has the list of types

/// Defines an API that computes dst[i] = src0[i] op src1[i].
#define TWIN_VEC_BINARY(API, ...) TWIN_VEC_BINARY_BY(RunBinary, BinaryOp, API, __VA_ARGS__)

#define TWIN_VEC_BINARY_BY(RUN, OP, API, ...)                                                   \
    TWIN_VEC_BINARY_MASKED(RUN, OP, API, __VA_ARGS__)                                           \
    template <typename T>                                                                       \
    inline void API(const LocalTensor<T>& dst, const LocalTensor<T>& src0,                      \
                    const LocalTensor<T>& src1, const int32_t& calCount, TWIN_HERE) {           \
        TWIN_REFUSE_DTYPE(API, T, __VA_ARGS__);                                                 \
        ::twin::vec::RUN(::twin::Opcode::API, ::twin::lanes::OP::API, ::twin::kDtypeOf<T>, dst, \
                         src0, src1, ::twin::vec::Extent::Elements(calCount),                   \
                         BinaryRepeatParams(), here);                                           \
    }

#define TWIN_VEC_BINARY_MASKED(RUN, OP, API, ...)                                               \
    template <typename T, bool isSetMask = true>                                                \
    inline void API(const LocalTensor<T>& dst, const LocalTensor<T>& src0,                      \
                    const LocalTensor<T>& src1, const ::twin::vec::Mask mask,                   \
                    const ::twin::Narrow8 repeatTime, const BinaryRepeatParams& repeatParams,   \
                    TWIN_HERE) {                                                                \
        TWIN_REFUSE_DTYPE(API, T, __VA_ARGS__);                                                 \
        ::twin::vec::RUN(::twin::Opcode::API, ::twin::lanes::OP::API, ::twin::kDtypeOf<T>, dst, \
                         src0, src1, ::twin::vec::Extent::Mask(mask, repeatTime, isSetMask),    \
                         repeatParams, here);                                                   \
    }

/// Defines an API that computes dst[i] = op(src[i]).
#define TWIN_VEC_UNARY(API, ...)                                                                   \
    template <typename T, bool isSetMask = true>                                                   \
    inline void API(const LocalTensor<T>& dst, const LocalTensor<T>& src,                          \
                    const ::twin::vec::Mask mask, const ::twin::Narrow8 repeatTime,                \
                    const UnaryRepeatParams& repeatParams, TWIN_HERE) {                            \
        TWIN_REFUSE_DTYPE(API, T, __VA_ARGS__);                                                    \
        ::twin::vec::RunUnary(                                                                     \
            ::twin::Opcode::API, ::twin::lanes::UnaryOp::API, ::twin::kDtypeOf<T>, dst, src,       \
            ::twin::vec::Extent::Mask(mask, repeatTime, isSetMask), repeatParams, here);           \
    }                                                                                              \
    template <typename T>                                                                          \
    inline void API(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t& calCount, \
                    TWIN_HERE) {                                                                   \
        TWIN_REFUSE_DTYPE(API, T, __VA_ARGS__);                                                    \
        ::twin::vec::RunUnary(::twin::Opcode::API, ::twin::lanes::UnaryOp::API,                    \
                              ::twin::kDtypeOf<T>, dst, src,                                       \
                              ::twin::vec::Extent::Elements(calCount), UnaryRepeatParams(), here); \
    }

/// Defines an API that computes dst[i] = src[i] op scalar, with a scalar of the tensor's type.
#define TWIN_VEC_SCALAR(API, ...)                                     \
    TWIN_VEC_SCALAR_FORMS(API, TWIN_SCALAR_OF_TENSOR, T, __VA_ARGS__) \
    TWIN_VEC_SCALAR_FORMS(API, TWIN_SCALAR_NAMED, U, __VA_ARGS__)

#define TWIN_SCALAR_OF_TENSOR() typename T, bool isSetMask = true
/// The toolkit has the parameter U for tensors with traits. Here U must be the type of the tensor.
#define TWIN_SCALAR_NAMED()    \
    typename T, typename U,    \
        bool isSetMask = true, \
             typename std::enable_if<std::is_same<T, U>::value, bool>::type = true

#define TWIN_VEC_SCALAR_FORMS(API, PARAMETERS, SCALAR, ...)                                  \
    template <PARAMETERS()>                                                                  \
    inline void API(const LocalTensor<T>& dst, const LocalTensor<T>& src,                    \
                    const SCALAR& scalarValue, const ::twin::vec::Mask mask,                 \
                    const ::twin::Narrow8 repeatTime, const UnaryRepeatParams& repeatParams, \
                    TWIN_HERE) {                                                             \
        TWIN_REFUSE_DTYPE(API, T, __VA_ARGS__);                                              \
        ::twin::vec::RunScalar(::twin::Opcode::API, ::twin::lanes::ScalarOp::API,            \
                               ::twin::kDtypeOf<T>, dst, src, &scalarValue,                  \
                               ::twin::vec::Extent::Mask(mask, repeatTime, isSetMask),       \
                               repeatParams, here);                                          \
    }                                                                                        \
    template <PARAMETERS()>                                                                  \
    inline void API(const LocalTensor<T>& dst, const LocalTensor<T>& src,                    \
                    const SCALAR& scalarValue, const int32_t& calCount, TWIN_HERE) {         \
        TWIN_REFUSE_DTYPE(API, T, __VA_ARGS__);                                              \
        ::twin::vec::RunScalar(::twin::Opcode::API, ::twin::lanes::ScalarOp::API,            \
                               ::twin::kDtypeOf<T>, dst, src, &scalarValue,                  \
                               ::twin::vec::Extent::Elements(calCount, isSetMask),           \
                               UnaryRepeatParams(), here);                                   \
    }
