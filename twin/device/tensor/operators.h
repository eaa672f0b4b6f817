// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/types.h"
#include "device/types/enums.h"

// dst = a + b on tensors: the operator stores its operands, and the assignment runs the
// instruction. vec/duplicate.h and compare/compare.h define the assignments, because they need
// LocalTensor.

namespace AscendC {

template <typename T>
class LocalTensor;

#define TWIN_TENSOR_EXPRESSION(NAME)                          \
    template <typename T>                                     \
    struct NAME {                                             \
        const LocalTensor<T>& src0;                           \
        const LocalTensor<T>& src1;                           \
        twin::Location where;                                 \
        inline void Process(const LocalTensor<T>& dst) const; \
    };
TWIN_TENSOR_EXPRESSION(SymbolOverrideAdd)
TWIN_TENSOR_EXPRESSION(SymbolOverrideSub)
TWIN_TENSOR_EXPRESSION(SymbolOverrideMul)
TWIN_TENSOR_EXPRESSION(SymbolOverrideDiv)
TWIN_TENSOR_EXPRESSION(SymbolOverrideOr)
TWIN_TENSOR_EXPRESSION(SymbolOverrideAnd)
#undef TWIN_TENSOR_EXPRESSION

template <typename T>
struct SymbolOverrideCompare {
    const LocalTensor<T>& src0;
    const LocalTensor<T>& src1;
    CMPMODE mode;
    twin::Location where;
    template <typename U>
    inline void Process(const LocalTensor<U>& dst) const;
};

}  // namespace AscendC

namespace twin {

/// The right side of an operator on tensors, with its source location. An operator has no parameter
/// for the location, so the conversion from a tensor adds the location.
template <typename T>
struct RightSide {
    const AscendC::LocalTensor<T>& tensor;
    Location where;

    RightSide(const AscendC::LocalTensor<T>& side, TWIN_HERE) : tensor(side), where(here) {}
};

}  // namespace twin

#define TWIN_TENSOR_BINARY(OP, NAME)                            \
    NAME<T> operator OP(const twin::RightSide<T> other) const { \
        return {*this, other.tensor, other.where};              \
    }                                                           \
    void operator=(const NAME<T>& expression) { expression.Process(*this); }
#define TWIN_TENSOR_COMPARE(OP, MODE)                                            \
    SymbolOverrideCompare<T> operator OP(const twin::RightSide<T> other) const { \
        return {*this, other.tensor, CMPMODE::MODE, other.where};                \
    }

/// Defines the operators of LocalTensor.
#define TWIN_TENSOR_OPERATORS                                    \
    TWIN_TENSOR_BINARY(+, SymbolOverrideAdd)                     \
    TWIN_TENSOR_BINARY(-, SymbolOverrideSub)                     \
    TWIN_TENSOR_BINARY(*, SymbolOverrideMul)                     \
    TWIN_TENSOR_BINARY(/, SymbolOverrideDiv)                     \
    TWIN_TENSOR_BINARY(|, SymbolOverrideOr)                      \
    TWIN_TENSOR_BINARY(&, SymbolOverrideAnd)                     \
    TWIN_TENSOR_COMPARE(<, LT)                                   \
    TWIN_TENSOR_COMPARE(>, GT)                                   \
    TWIN_TENSOR_COMPARE(==, EQ)                                  \
    TWIN_TENSOR_COMPARE(<=, LE)                                  \
    TWIN_TENSOR_COMPARE(>=, GE)                                  \
    TWIN_TENSOR_COMPARE(!=, NE)                                  \
    template <typename U>                                        \
    void operator=(const SymbolOverrideCompare<U>& expression) { \
        expression.Process(*this);                               \
    }
