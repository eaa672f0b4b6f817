// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/lanes/arithmetic.h"
#include "device/library/call.h"
#include "device/library/tmp.h"
#include "device/vec/shapes.h"

namespace twin::advanced {

using lanes::ElementaryOp;

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
#define TWIN_ADVANCED_UNARY(API, OP, ...)                                                        \
    TWIN_ADVANCED_UNARY_COUNTED(API, OP, const, __VA_ARGS__)                                     \
    template <typename T, bool isReuseSource = false>                                            \
    inline void API(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,            \
                    const LocalTensor<uint8_t>& sharedTmpBuffer, TWIN_HERE) {                    \
        API<T, isReuseSource>(dstTensor, srcTensor, sharedTmpBuffer, srcTensor.GetSize(), here); \
    }                                                                                            \
    TWIN_ADVANCED_UNARY_WHOLE(API)

#define TWIN_ADVANCED_UNARY_WHOLE(API)                                                             \
    template <typename T, bool isReuseSource = false>                                              \
    inline void API(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, TWIN_HERE) { \
        API<T, isReuseSource>(dstTensor, srcTensor, srcTensor.GetSize(), here);                    \
    }

/// QUALIFIER says whether the library takes destination and scratch by const reference.
#define TWIN_ADVANCED_UNARY_COUNTED(API, OP, QUALIFIER, ...)                                      \
    template <typename T, bool isReuseSource = false>                                             \
    inline void API(QUALIFIER LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,         \
                    QUALIFIER LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount,     \
                    TWIN_HERE) {                                                                  \
        TWIN_REFUSE_DTYPE(API, T, __VA_ARGS__);                                                   \
        ::twin::advanced::RunUnary({::twin::Opcode::API, ::twin::advanced::ElementaryOp::OP,      \
                                    ::twin::kDtypeOf<T>, isReuseSource},                          \
                                   ::twin::Of(dstTensor), ::twin::Of(srcTensor), sharedTmpBuffer, \
                                   calCount, here);                                               \
    }                                                                                             \
    TWIN_ADVANCED_UNARY_STACK(API, OP, QUALIFIER, __VA_ARGS__)

/// The last overload is for code that takes the address of the function; it has the toolkit's own
/// type. A call never chooses it, because the others are more specialised.
#define TWIN_ADVANCED_UNARY_STACK(API, OP, QUALIFIER, ...)                                     \
    template <typename T, bool isReuseSource = false>                                          \
    inline void API(QUALIFIER LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,      \
                    const uint32_t calCount, TWIN_HERE) {                                      \
        TWIN_REFUSE_DTYPE(API, T, __VA_ARGS__);                                                \
        ::twin::advanced::RunUnary({::twin::Opcode::API, ::twin::advanced::ElementaryOp::OP,   \
                                    ::twin::kDtypeOf<T>, isReuseSource},                       \
                                   ::twin::Of(dstTensor), ::twin::Of(srcTensor), {}, calCount, \
                                   here);                                                      \
    }                                                                                          \
    template <typename T, bool isReuseSource = false, typename Tensor>                         \
    inline void API(QUALIFIER Tensor& dstTensor, const Tensor& srcTensor,                      \
                    const uint32_t calCount) {                                                 \
        API<T, isReuseSource>(dstTensor, srcTensor, calCount, ::twin::Location::Here());       \
    }
