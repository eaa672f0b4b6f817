// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_AS_FUNCTIONS_H
#define TWIN_DEVICE_VEC_AS_FUNCTIONS_H

// Kernels pass APIs as template arguments of type `void(const LocalTensor<T>&, ..., const
// int32_t&)`. The overloads that calls find have an additional parameter, the source location; the
// ones here have the toolkit's exact types. Calls never find them, because the result type is a
// template parameter, which only a conversion of the function's address determines.
#include "device/vec/elementwise.h"

// The result is always void: the functions' types are the toolkit's. Errors name the place of the
// last call that has one.
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

#endif  // TWIN_DEVICE_VEC_AS_FUNCTIONS_H
