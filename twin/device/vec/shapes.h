// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_SHAPES_H
#define TWIN_DEVICE_VEC_SHAPES_H

#include "device/vec/engine.h"

// The three shapes that most vector APIs have, each with its mask-bits, mask-count and count form.
// An API file states the name, the operation and the types that the chip has; everything else is
// refused at compile time.

#define TWIN_REFUSE_DTYPE(API, T, ...)            \
    static_assert(::twin::kOneOf<T, __VA_ARGS__>, \
                  #API ": this type is not supported on A2/A3; it takes " #__VA_ARGS__)

/// dst[i] = src0[i] op src1[i]
#define TWIN_VEC_BINARY(API, ...)                                                             \
    template <typename T, bool isSetMask = true>                                              \
    inline void API(const LocalTensor<T>& dst, const LocalTensor<T>& src0,                    \
                    const LocalTensor<T>& src1, uint64_t mask[], const uint8_t repeatTime,    \
                    const BinaryRepeatParams& repeatParams, TWIN_HERE) {                      \
        TWIN_REFUSE_DTYPE(API, T, __VA_ARGS__);                                               \
        ::twin::vec::RunBinary(#API, ::twin::lanes::BinaryOp::API, ::twin::kDtypeOf<T>,       \
                               ::twin::Of(dst), ::twin::Of(src0), ::twin::Of(src1),           \
                               ::twin::vec::Extent::Mask(mask, repeatTime, isSetMask),        \
                               repeatParams, here);                                           \
    }                                                                                         \
    template <typename T, bool isSetMask = true>                                              \
    inline void API(const LocalTensor<T>& dst, const LocalTensor<T>& src0,                    \
                    const LocalTensor<T>& src1, uint64_t mask, const uint8_t repeatTime,      \
                    const BinaryRepeatParams& repeatParams, TWIN_HERE) {                      \
        TWIN_REFUSE_DTYPE(API, T, __VA_ARGS__);                                               \
        ::twin::vec::RunBinary(#API, ::twin::lanes::BinaryOp::API, ::twin::kDtypeOf<T>,       \
                               ::twin::Of(dst), ::twin::Of(src0), ::twin::Of(src1),           \
                               ::twin::vec::Extent::Mask(mask, repeatTime, isSetMask),        \
                               repeatParams, here);                                           \
    }                                                                                         \
    template <typename T>                                                                     \
    inline void API(const LocalTensor<T>& dst, const LocalTensor<T>& src0,                    \
                    const LocalTensor<T>& src1, const int32_t& calCount, TWIN_HERE) {         \
        TWIN_REFUSE_DTYPE(API, T, __VA_ARGS__);                                               \
        ::twin::vec::RunBinary(#API, ::twin::lanes::BinaryOp::API, ::twin::kDtypeOf<T>,       \
                               ::twin::Of(dst), ::twin::Of(src0), ::twin::Of(src1),           \
                               ::twin::vec::Extent::Elements(calCount), BinaryRepeatParams(), \
                               here);                                                         \
    }

/// dst[i] = op(src[i])
#define TWIN_VEC_UNARY(API, ...)                                                                   \
    template <typename T, bool isSetMask = true>                                                   \
    inline void API(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask[],         \
                    const uint8_t repeatTime, const UnaryRepeatParams& repeatParams, TWIN_HERE) {  \
        TWIN_REFUSE_DTYPE(API, T, __VA_ARGS__);                                                    \
        ::twin::vec::RunUnary(#API, ::twin::lanes::UnaryOp::API, ::twin::kDtypeOf<T>,              \
                              ::twin::Of(dst), ::twin::Of(src),                                    \
                              ::twin::vec::Extent::Mask(mask, repeatTime, isSetMask),              \
                              repeatParams, here);                                                 \
    }                                                                                              \
    template <typename T, bool isSetMask = true>                                                   \
    inline void API(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask,           \
                    const uint8_t repeatTime, const UnaryRepeatParams& repeatParams, TWIN_HERE) {  \
        TWIN_REFUSE_DTYPE(API, T, __VA_ARGS__);                                                    \
        ::twin::vec::RunUnary(#API, ::twin::lanes::UnaryOp::API, ::twin::kDtypeOf<T>,              \
                              ::twin::Of(dst), ::twin::Of(src),                                    \
                              ::twin::vec::Extent::Mask(mask, repeatTime, isSetMask),              \
                              repeatParams, here);                                                 \
    }                                                                                              \
    template <typename T>                                                                          \
    inline void API(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t& calCount, \
                    TWIN_HERE) {                                                                   \
        TWIN_REFUSE_DTYPE(API, T, __VA_ARGS__);                                                    \
        ::twin::vec::RunUnary(#API, ::twin::lanes::UnaryOp::API, ::twin::kDtypeOf<T>,              \
                              ::twin::Of(dst), ::twin::Of(src),                                    \
                              ::twin::vec::Extent::Elements(calCount), UnaryRepeatParams(), here); \
    }

/// dst[i] = src[i] op scalar. The scalar has exactly the tensor's type, as on the chip's compiler.
#define TWIN_VEC_SCALAR(API, ...)                                                               \
    template <typename T, bool isSetMask = true>                                                \
    inline void API(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, \
                    uint64_t mask[], const uint8_t repeatTime,                                  \
                    const UnaryRepeatParams& repeatParams, TWIN_HERE) {                         \
        TWIN_REFUSE_DTYPE(API, T, __VA_ARGS__);                                                 \
        ::twin::vec::RunScalar(#API, ::twin::lanes::ScalarOp::API, ::twin::kDtypeOf<T>,         \
                               ::twin::Of(dst), ::twin::Of(src), &scalarValue,                  \
                               ::twin::vec::Extent::Mask(mask, repeatTime, isSetMask),          \
                               repeatParams, here);                                             \
    }                                                                                           \
    template <typename T, bool isSetMask = true>                                                \
    inline void API(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, \
                    uint64_t mask, const uint8_t repeatTime,                                    \
                    const UnaryRepeatParams& repeatParams, TWIN_HERE) {                         \
        TWIN_REFUSE_DTYPE(API, T, __VA_ARGS__);                                                 \
        ::twin::vec::RunScalar(#API, ::twin::lanes::ScalarOp::API, ::twin::kDtypeOf<T>,         \
                               ::twin::Of(dst), ::twin::Of(src), &scalarValue,                  \
                               ::twin::vec::Extent::Mask(mask, repeatTime, isSetMask),          \
                               repeatParams, here);                                             \
    }                                                                                           \
    template <typename T, bool isSetMask = true>                                                \
    inline void API(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, \
                    const int32_t& calCount, TWIN_HERE) {                                       \
        TWIN_REFUSE_DTYPE(API, T, __VA_ARGS__);                                                 \
        ::twin::vec::RunScalar(#API, ::twin::lanes::ScalarOp::API, ::twin::kDtypeOf<T>,         \
                               ::twin::Of(dst), ::twin::Of(src), &scalarValue,                  \
                               ::twin::vec::Extent::Elements(calCount), UnaryRepeatParams(),    \
                               here);                                                           \
    }

#endif  // TWIN_DEVICE_VEC_SHAPES_H
