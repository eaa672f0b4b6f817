// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_VEC_AS_FUNCTIONS_H
#define TWIN_DEVICE_VEC_AS_FUNCTIONS_H

// Kernels pass APIs as template arguments of type `void(const LocalTensor<T>&, ..., const
// int32_t&)`. The overloads that calls find have an additional parameter, the source location; the
// ones here have the toolkit's exact types. Calls never find them, because the result type is a
// template parameter, which only a conversion of the function's address determines.
#include "device/vec/abs.h"
#include "device/vec/add.h"
#include "device/vec/add_relu.h"
#include "device/vec/adds.h"
#include "device/vec/and.h"
#include "device/vec/div.h"
#include "device/vec/exp.h"
#include "device/vec/leaky_relu.h"
#include "device/vec/ln.h"
#include "device/vec/max.h"
#include "device/vec/maxs.h"
#include "device/vec/min.h"
#include "device/vec/mins.h"
#include "device/vec/mul.h"
#include "device/vec/muls.h"
#include "device/vec/not.h"
#include "device/vec/or.h"
#include "device/vec/reciprocal.h"
#include "device/vec/relu.h"
#include "device/vec/rsqrt.h"
#include "device/vec/sqrt.h"
#include "device/vec/sub.h"
#include "device/vec/sub_relu.h"

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

#define TWIN_BINARY_AS_FUNCTION(API) \
    TWIN_AS_FUNCTION(API, TWIN_BINARY_OPERANDS, TWIN_BINARY_NAMES, BinaryRepeatParams)
#define TWIN_UNARY_AS_FUNCTION(API) \
    TWIN_AS_FUNCTION(API, TWIN_UNARY_OPERANDS, TWIN_UNARY_NAMES, UnaryRepeatParams)
#define TWIN_SCALAR_AS_FUNCTION(API) \
    TWIN_AS_FUNCTION(API, TWIN_SCALAR_OPERANDS, TWIN_SCALAR_NAMES, UnaryRepeatParams)

namespace AscendC {

TWIN_BINARY_AS_FUNCTION(Add)
TWIN_BINARY_AS_FUNCTION(AddRelu)
TWIN_BINARY_AS_FUNCTION(And)
TWIN_BINARY_AS_FUNCTION(Div)
TWIN_BINARY_AS_FUNCTION(Max)
TWIN_BINARY_AS_FUNCTION(Min)
TWIN_BINARY_AS_FUNCTION(Mul)
TWIN_BINARY_AS_FUNCTION(Or)
TWIN_BINARY_AS_FUNCTION(Sub)
TWIN_BINARY_AS_FUNCTION(SubRelu)
TWIN_UNARY_AS_FUNCTION(Abs)
TWIN_UNARY_AS_FUNCTION(Exp)
TWIN_UNARY_AS_FUNCTION(Ln)
TWIN_UNARY_AS_FUNCTION(Not)
TWIN_UNARY_AS_FUNCTION(Reciprocal)
TWIN_UNARY_AS_FUNCTION(Relu)
TWIN_UNARY_AS_FUNCTION(Rsqrt)
TWIN_UNARY_AS_FUNCTION(Sqrt)
TWIN_SCALAR_AS_FUNCTION(Adds)
TWIN_SCALAR_AS_FUNCTION(LeakyRelu)
TWIN_SCALAR_AS_FUNCTION(Maxs)
TWIN_SCALAR_AS_FUNCTION(Mins)
TWIN_SCALAR_AS_FUNCTION(Muls)

}  // namespace AscendC

#undef TWIN_AS_FUNCTION
#undef TWIN_AS_FUNCTION_MASKED
#undef TWIN_BINARY_AS_FUNCTION
#undef TWIN_BINARY_NAMES
#undef TWIN_BINARY_OPERANDS
#undef TWIN_SCALAR_AS_FUNCTION
#undef TWIN_SCALAR_NAMES
#undef TWIN_SCALAR_OPERANDS
#undef TWIN_UNARY_AS_FUNCTION
#undef TWIN_UNARY_NAMES
#undef TWIN_UNARY_OPERANDS

#endif  // TWIN_DEVICE_VEC_AS_FUNCTIONS_H
