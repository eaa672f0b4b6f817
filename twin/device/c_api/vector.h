// SPDX-License-Identifier: Apache-2.0
#pragma once

// Vector functions of the toolkit's C API (newer than CANN 8.1): the arithmetic of the C++ API on
// pointers to UB. The form with a count sets the mask itself; the form with a number of repeats
// uses the mask register; the form with `_sync` waits for the result.
#include <cstdint>

#include "device/sync/events.h"
#include "device/tensor/global_tensor.h"
#include "device/vec/duplicate.h"
#include "device/vec/elementwise.h"
#include "device/vec/utils.h"

namespace twin::capi {

inline void Finish(Location where) { AscendC::PipeBarrier<PIPE_ALL>(where); }

constexpr uint64_t kMaskRegister = static_cast<uint64_t>(AscendC::MASK_PLACEHOLDER);

/// A type that a call does not deduce, so that a number of another type is converted to it.
template <typename T>
struct Plain {
    using Type = T;
};

}  // namespace twin::capi

#define TWIN_C_UNPACK(...) __VA_ARGS__
#define TWIN_C_AT(POINTER, NAME) ::twin::LocalTensorAt(POINTER, #NAME, here)
#define TWIN_C_FINISH(CALL)         \
    {                               \
        CALL;                       \
        ::twin::capi::Finish(here); \
    }

// NAME is the function of the C API, CALL that of the C++ API. PARAMETERS are the template
// parameters, in parentheses; ARGUMENTS those that CALL takes; D and S the element types of the
// results and of the sources.
#define TWIN_C_BINARY(NAME, CALL, PARAMETERS, ARGUMENTS, D, S)                                \
    template <TWIN_C_UNPACK PARAMETERS>                                                       \
    inline void NAME(D* dst, S* src0, S* src1, uint32_t count, TWIN_HERE) {                   \
        AscendC::CALL(TWIN_C_AT(dst, NAME), TWIN_C_AT(src0, NAME), TWIN_C_AT(src1, NAME),     \
                      static_cast<int32_t>(count), here);                                     \
    }                                                                                         \
    template <TWIN_C_UNPACK PARAMETERS>                                                       \
    inline void NAME##_sync(D* dst, S* src0, S* src1, uint32_t count, TWIN_HERE)              \
        TWIN_C_FINISH(NAME(dst, src0, src1, count, here)) template <TWIN_C_UNPACK PARAMETERS> \
        inline void NAME(D* dst, S* src0, S* src1, uint8_t repeat, uint8_t dst_block_stride,  \
                         uint8_t src0_block_stride, uint8_t src1_block_stride,                \
                         uint8_t dst_repeat_stride, uint8_t src0_repeat_stride,               \
                         uint8_t src1_repeat_stride, TWIN_HERE) {                             \
        const AscendC::BinaryRepeatParams strides(dst_block_stride, src0_block_stride,        \
                                                  src1_block_stride, dst_repeat_stride,       \
                                                  src0_repeat_stride, src1_repeat_stride);    \
        AscendC::CALL<TWIN_C_UNPACK ARGUMENTS, false>(                                        \
            TWIN_C_AT(dst, NAME), TWIN_C_AT(src0, NAME), TWIN_C_AT(src1, NAME),               \
            ::twin::capi::kMaskRegister, repeat, strides, here);                              \
    }

// The functions with one source. VALUE declares a further parameter, PASS passes it on.
#define TWIN_C_UNARY_OF(NAME, CALL, PARAMETERS, ARGUMENTS, D, S, VALUE, PASS, GIVEN)              \
    template <TWIN_C_UNPACK PARAMETERS>                                                           \
    inline void NAME(D* dst, S* src, VALUE() uint32_t count, TWIN_HERE) {                         \
        AscendC::CALL(TWIN_C_AT(dst, NAME), TWIN_C_AT(src, NAME),                                 \
                      PASS() static_cast<int32_t>(count), here);                                  \
    }                                                                                             \
    template <TWIN_C_UNPACK PARAMETERS>                                                           \
    inline void NAME##_sync(D* dst, S* src, VALUE() uint32_t count, TWIN_HERE)                    \
        TWIN_C_FINISH(NAME(dst, src, GIVEN() count, here)) template <TWIN_C_UNPACK PARAMETERS>    \
        inline void NAME(D* dst, S* src, VALUE() uint8_t repeat, uint16_t dst_block_stride,       \
                         uint16_t src_block_stride, uint16_t dst_repeat_stride,                   \
                         uint16_t src_repeat_stride, TWIN_HERE) {                                 \
        const AscendC::UnaryRepeatParams strides(dst_block_stride, src_block_stride,              \
                                                 static_cast<uint8_t>(dst_repeat_stride),         \
                                                 static_cast<uint8_t>(src_repeat_stride));        \
        AscendC::CALL<TWIN_C_UNPACK ARGUMENTS, false>(TWIN_C_AT(dst, NAME), TWIN_C_AT(src, NAME), \
                                                      PASS()::twin::capi::kMaskRegister, repeat,  \
                                                      strides, here);                             \
    }

#define TWIN_C_NO_VALUE()
#define TWIN_C_VALUE() typename ::twin::capi::Plain<S>::Type value,
#define TWIN_C_PASS() value,
#define TWIN_C_NEGATED() static_cast<S>(0 - static_cast<float>(value)),

#define TWIN_C_BINARY_OF_ONE(NAME, CALL) TWIN_C_BINARY(NAME, CALL, (typename S), (S), S, S)
#define TWIN_C_UNARY(NAME, CALL)                                                           \
    TWIN_C_UNARY_OF(NAME, CALL, (typename S), (S), S, S, TWIN_C_NO_VALUE, TWIN_C_NO_VALUE, \
                    TWIN_C_NO_VALUE)
#define TWIN_C_SCALAR(NAME, CALL) \
    TWIN_C_UNARY_OF(NAME, CALL, (typename S), (S), S, S, TWIN_C_VALUE, TWIN_C_PASS, TWIN_C_PASS)

// clang-format off
TWIN_C_BINARY_OF_ONE(asc_add, Add) TWIN_C_BINARY_OF_ONE(asc_sub, Sub)
TWIN_C_BINARY_OF_ONE(asc_mul, Mul) TWIN_C_BINARY_OF_ONE(asc_div, Div)
TWIN_C_BINARY_OF_ONE(asc_max, Max) TWIN_C_BINARY_OF_ONE(asc_min, Min)
TWIN_C_BINARY_OF_ONE(asc_and, And) TWIN_C_BINARY_OF_ONE(asc_or, Or)
TWIN_C_BINARY_OF_ONE(asc_add_relu, AddRelu) TWIN_C_BINARY_OF_ONE(asc_sub_relu, SubRelu)
TWIN_C_BINARY_OF_ONE(asc_mul_add, FusedMulAdd)
TWIN_C_BINARY_OF_ONE(asc_mul_add_relu, FusedMulAddRelu)
TWIN_C_BINARY(asc_fma, MulAddDst, (typename D, typename S), (D, S), D, S)
TWIN_C_UNARY(asc_abs, Abs) TWIN_C_UNARY(asc_exp, Exp) TWIN_C_UNARY(asc_log, Ln)
TWIN_C_UNARY(asc_not, Not) TWIN_C_UNARY(asc_rcp, Reciprocal) TWIN_C_UNARY(asc_relu, Relu)
TWIN_C_UNARY(asc_rsqrt, Rsqrt) TWIN_C_UNARY(asc_sqrt, Sqrt)
TWIN_C_SCALAR(asc_add_scalar, Adds) TWIN_C_SCALAR(asc_mul_scalar, Muls)
TWIN_C_SCALAR(asc_max_scalar, Maxs) TWIN_C_SCALAR(asc_min_scalar, Mins)
TWIN_C_SCALAR(asc_leakyrelu, LeakyRelu)
TWIN_C_SCALAR(asc_shiftleft, ShiftLeft) TWIN_C_SCALAR(asc_shiftright, ShiftRight)
TWIN_C_UNARY_OF(asc_sub_scalar, Adds, (typename S), (S), S, S, TWIN_C_VALUE, TWIN_C_NEGATED,
                TWIN_C_PASS)
TWIN_C_UNARY_OF(asc_axpy, Axpy, (typename D, typename S), (D, S), D, S, TWIN_C_VALUE, TWIN_C_PASS,
                TWIN_C_PASS)
    // clang-format on

    /// Fills `count` elements with `src`.
    template <typename T>
    inline void asc_duplicate(T* dst, typename ::twin::capi::Plain<T>::Type src, uint32_t count,
                              TWIN_HERE) {
    AscendC::Duplicate<T>(TWIN_C_AT(dst, asc_duplicate), src, static_cast<int32_t>(count), here);
}
template <typename T>
inline void asc_duplicate_sync(T* dst, typename ::twin::capi::Plain<T>::Type src, uint32_t count,
                               TWIN_HERE)
    TWIN_C_FINISH(asc_duplicate(dst, src, count, here)) template <typename T>
    inline void asc_duplicate(T* dst, typename ::twin::capi::Plain<T>::Type src, uint8_t repeat,
                              uint16_t dst_block_stride, uint16_t dst_repeat_stride, TWIN_HERE) {
    AscendC::DuplicateIntrinsicsImpl<T>(dst, src, repeat, dst_block_stride,
                                        static_cast<uint8_t>(dst_repeat_stride), here);
}
